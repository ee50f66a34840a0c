import { join } from 'node:path';
import type { SourceRequest } from '@dbmole/core';
import { missingFile, openToOthers, type PasswordFile, readPasswordFile } from './password-file.ts';

/** The options of each group, by its name. */
type OptionGroups = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What every client program reads. */
export const clientGroup = 'client';

function myCnfPath({ home }: Pick<SourceRequest, 'home'>): string {
  return join(home, '.my.cnf');
}

export function openMyCnf(request: Pick<SourceRequest, 'home'>): PasswordFile | undefined {
  return readPasswordFile(myCnfPath(request), openToOthers.toWrite);
}

export function passwordFromMyCnf(request: SourceRequest): string | undefined {
  const file = openMyCnf(request);
  if (file === undefined) throw missingFile(myCnfPath(request));
  return parseMyCnf(file.text)
    .get(request.name ?? clientGroup)
    ?.get('password');
}

/** `[group]` and `key=value`; what comes last counts. Other files that it includes are left alone. */
export function parseMyCnf(text: string): OptionGroups {
  const groups = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || /^[#;!]/.test(line)) continue;
    const section = /^\[([^\]]*)\]/.exec(line)?.[1]?.trim();
    if (section !== undefined) {
      current = groups.get(section) ?? new Map();
      groups.set(section, current);
    } else {
      const [, key = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(withoutComment(line)) ?? [];
      // Both spellings mean the same.
      current?.set(key.trim().replaceAll('_', '-'), unquote((value ?? '').trim()));
    }
  }
  return groups;
}

/** A `#` outside of quotes begins a comment, also in the middle of a line. */
function withoutComment(line: string): string {
  let quote: string | undefined;
  let escaped = false;
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index];
    if ((letter === '"' || letter === "'") && !escaped) {
      if (quote === undefined) quote = letter;
      else if (quote === letter) quote = undefined;
    }
    if (letter === '#' && quote === undefined) return line.slice(0, index);
    escaped = quote !== undefined && letter === '\\' && !escaped;
  }
  return line;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', s: ' ', '"': '"', "'": "'", '\\': '\\' };

/** An unknown escape keeps its backslash. */
function unquote(text: string): string {
  const inner = /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
  return inner.replace(/\\(.)/gs, (found, letter: string) =>
    Object.hasOwn(escapes, letter) ? (escapes[letter] ?? found) : found,
  );
}
