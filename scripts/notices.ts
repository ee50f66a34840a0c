import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from './bundle/esbuild-plugin.ts';
import { inputsOf, packageOf } from './bundle/start-graph.ts';

interface Notice {
  name: string;
  version: string;
  license: string;
  /** The text that the licence asks us to pass on. */
  text: string;
}

const licenceFile = /^(licen[cs]e|copying|notice)(\.|-|$)/i;
/** A package that was bundled into a package: its bundler left a comment with name and version. */
const embedded = /^\/\/#region .*node_modules\/\.pnpm\/[^/\n]+@(\d[^/\n]*)\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm;

/** The contents of THIRD_PARTY_NOTICES.md for the packages of which something is in the bundle. */
export function formatNotices(leaf: string, metafile: Metafile, root: string): string {
  const inputs = inputsOf(metafile, Object.keys(metafile.outputs));
  const folders = new Map<string, Notice>();
  for (const input of inputs) {
    const name = packageOf(input);
    if (name === undefined) continue;
    const folder = join(root, input.slice(0, input.lastIndexOf(`node_modules/${name}/`)), 'node_modules', name);
    if (!folders.has(folder)) folders.set(folder, withMore(readNotice(folder), root));
    for (const inner of readEmbedded(join(root, input), root)) folders.set(`${folder}>${inner.name}`, inner);
  }
  const notices = [...folders.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  return [
    '# Third-party notices',
    `${leaf} contains code of the packages below. Written by the build; changes are lost.`,
    ...notices.map(({ name, version, license, text }) => `## ${name} ${version}\n\n${license}\n\n${fenced(text)}`),
    '',
  ].join('\n\n');
}

function readNotice(folder: string): Notice {
  const { name, version, license, author } = readManifest(folder);
  const files = readdirSync(folder).filter((file) => licenceFile.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0 && license === '') throw new Error(`${name} names no licence and has no licence file`);
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  return {
    name,
    version,
    license,
    text: texts.join('\n\n') || `Copyright ${holder}. Published under ${license}, without the text.`,
  };
}

/** What a package contains of others without their licences: we keep those in `licences`. */
function withMore(notice: Notice, root: string): Notice {
  const file = join(root, 'scripts', 'licences', `${notice.name.replace('/', '-')}.txt`);
  return existsSync(file) ? { ...notice, text: `${notice.text}\n\n${readFileSync(file, 'utf8').trim()}` } : notice;
}

/** Packages inside a bundled file. Their licence is read where the package is installed too, else from the file's own comment. */
function readEmbedded(file: string, root: string): Notice[] {
  if (!existsSync(file)) return [];
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(embedded)].map(([, version = '', name = '']) => {
    const installed = join(root, 'node_modules', name);
    const comment = /\/\*!([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
    if (existsSync(installed)) return { ...readNotice(installed), version };
    if (comment === '') throw new Error(`${file} contains ${name}, whose licence cannot be found`);
    return { name, version, license: 'As its source says', text: comment.replace(/^\s*\* ?/gm, '').trim() };
  });
}

interface Manifest {
  name: string;
  version: string;
  license: string;
  author?: string | { name?: string };
}

function readManifest(folder: string): Manifest {
  // A package.json from the registry: name and version are always there.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return { ...manifest, license: typeof manifest.license === 'string' ? manifest.license : '' };
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.replaceAll('```', "'''")}\n\`\`\``;
}
