import { dirname } from 'node:path';

/** A path as a framework's file names it, and the folders where it may begin. */
interface NamedFile {
  named: string;
  bases: readonly string[];
}

/** The databases that the file of a framework names. `variable` reads what it takes from the environment. */
export type SettingsReader = (text: string, path: string, variable: (name: string) => string | undefined) => NamedFile[];

/** More databases, and longer entries for one, are not read: no project has them. */
const maxDatabases = 20;
const maxEntry = 4_000;

/** Prisma: `schema.prisma`, whose paths begin at its folder. */
export const readPrisma: SettingsReader = (text, path, variable) => {
  const start = /^[ \t]*datasource[ \t]+\w+[ \t]*\{/m.exec(text)?.index ?? text.length;
  const source = text.slice(start, start + maxEntry).split('}', 1)[0] ?? '';
  if (!/^[ \t]*provider[ \t]*=[ \t]*"sqlite"/m.test(source)) return [];
  const [, literal, name] = /^[ \t]*url[ \t]*=[ \t]*(?:"([^"\n]*)"|env\("(\w+)"\))/m.exec(source) ?? [];
  const url = literal ?? (name === undefined ? undefined : variable(name));
  const named = url === undefined ? undefined : /^file:([^?]+)/.exec(url)?.[1];
  return named === undefined ? [] : [{ named, bases: [dirname(path)] }];
};

/** Django: a `settings.py` with the name as a literal, or as one below BASE_DIR. */
export const readDjango: SettingsReader = (text, path) => {
  const base = findBaseFolder(text, path);
  const engine = /["']ENGINE["']\s*:\s*["']django\.db\.backends\.sqlite3["']/g;
  return [...text.matchAll(engine)].slice(0, maxDatabases).flatMap(({ index }) => {
    const before =
      text
        .slice(Math.max(0, index - maxEntry), index)
        .split('{')
        .at(-1) ?? '';
    const entry = `${before}${text.slice(index, index + maxEntry).split('}', 1)[0]}`;
    const line = /["']NAME["']\s*:([^\n]*)/.exec(entry)?.[1] ?? '';
    const [value = ''] = line.split(/,\s*["'][A-Z_]+["']\s*:/);
    const named = readPythonPath(value.trim());
    return named === undefined ? [] : [{ named, bases: [base] }];
  });
};

/** A literal, or `BASE_DIR / "a" / "b"`, `os.path.join(BASE_DIR, "a")` and `str(…)` around them; nothing else is a path for us. */
function readPythonPath(value: string): string | undefined {
  const inner = value
    .replace(/,$/, '')
    .replace(/^str\((.*)\)$/, '$1')
    .replace(/^os\.path\.join\((.*)\)$/, '$1');
  const parts = inner.split(/[,/](?=\s*["']|\s*$)/).map((part) => part.trim());
  const names = parts.filter((part) => part !== '' && part !== 'BASE_DIR').map((part) => /^(["'])([^"'\\]*)\1$/.exec(part)?.[2]);
  return names.length === 0 || names.includes(undefined) ? undefined : names.join('/');
}

/** As many folders up from the settings as its line says; two where it says it otherwise. */
function findBaseFolder(text: string, path: string): string {
  const line = /^BASE_DIR\s*=([^\n]*)/m.exec(text)?.[1] ?? '';
  const steps = line.match(/\.parent\b|\bdirname\(/g)?.length ?? 0;
  let folder = path;
  for (let step = 0; step < (steps === 0 ? 2 : Math.min(steps, 10)); step += 1) folder = dirname(folder);
  return folder;
}

/** Rails: `config/database.yml`, whose paths begin at the folder of the application. */
export const readRails: SettingsReader = (text, path) => {
  if (!/^[ \t]*adapter:[ \t]*["']?sqlite3\b/m.test(text)) return [];
  const lines = [...text.matchAll(/^[ \t]*database:[ \t]*([^\n#]*)/gm)].slice(0, maxDatabases);
  return lines.flatMap(([, value = '']) => {
    const named = value.trim().replace(/^(["'])([^"']*)\1$/, '$2');
    return named === '' || named.includes('<%') || named === ':memory:' ? [] : [{ named, bases: [dirname(dirname(path))] }];
  });
};
