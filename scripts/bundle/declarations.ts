import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Symbol.asyncDispose is not in every target that a program may have. */
const header = '/// <reference lib="esnext.disposable" />\n';
const shared = 'packages/core/src/doors/library/mole.ts';

/**
 * The published types of a package: the files that hold nothing but types, one after the other, and the signature of its only
 * function. So nothing internal can get into them, and a compiler reads one short file.
 */
export function formatDeclarations(leaf: string, root: string): string {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const files = [shared, `packages/${leaf}/src/library-types.ts`];
  const types = files.map((file) => withoutHead(read(file), file));
  return [header, ...types, formatSignature(read(`packages/${leaf}/src/library.ts`))].join('\n');
}

/** The comment about the file itself and the imports, which all come from a file that is in the result. */
function withoutHead(text: string, file: string): string {
  const rest = text.replace(/^(?:\/\/.*\n|import type [^;]*;\n|\n)*/, '');
  if (/^import |\bimport\(|^export (?!interface |type )/m.test(rest)) throw new Error(`${file} has more than types of its own`);
  return rest;
}

function formatSignature(text: string): string {
  const [, comment, signature] = /(\/\*\* [^\n]* \*\/\n)export async (function \w+\([^)]*\): Promise<Mole>) \{/.exec(text) ?? [];
  if (comment === undefined || signature === undefined) throw new Error('the library has no function that can be declared');
  return `${comment}export declare ${signature};\n`;
}
