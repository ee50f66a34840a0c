import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

interface Asset {
  type: string;
  bytes: Buffer;
  /** Its name changes with its content. */
  isFixed: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The build puts these files beside the program. */
const folder = new URL('./page/', import.meta.url);

/** Only files that were there at the first request are ever served, by their names. */
export class PageAssets {
  #names: ReadonlySet<string> | undefined;
  readonly #read = new Map<string, Asset>();

  /** Undefined for anything else. The page itself has the empty name. */
  find(path: string): Asset | undefined {
    const name = path === '' ? 'index.html' : path;
    this.#names ??= new Set(listFiles());
    if (!this.#names.has(name)) return undefined;
    const asset = this.#read.get(name) ?? readAsset(name);
    this.#read.set(name, asset);
    return asset;
  }
}

function listFiles(): string[] {
  try {
    return readdirSync(folder).filter((name) => extname(name) in types);
  } catch {
    // A program that runs from its sources has none.
    return [];
  }
}

function readAsset(name: string): Asset {
  const bytes = readFileSync(new URL(name, folder));
  return { type: types[extname(name)] ?? '', bytes, isFixed: /-[A-Z0-9]{8}\.\w+$/.test(name) };
}
