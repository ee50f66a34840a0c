/** The rules of CONTRIBUTING.md that no linter knows. Each test names the files that break its rule. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './steps.ts';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const sources = tracked.filter((file) => /^(packages|scripts|bench)\/.*\.(ts|tsx|mjs)$/.test(file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const isTest = (file: string) => /\.test\.ts$|\/test\/|\/testing\//.test(file);

/** The files in which a line matches, with the line. */
function offenders(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, place }) => `${place}: ${line.trim()}`),
  );
}

interface Import {
  from: string;
  file: string;
}

/** What a file imports: for a relative path the file it names, else the package. */
function importsOf(file: string): Import[] {
  return [...read(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => ({
    from: target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target,
    file,
  }));
}

function forbidden(files: readonly string[], rule: (target: string, file: string) => boolean): string[] {
  return files
    .flatMap(importsOf)
    .filter(({ from, file }) => rule(from, file))
    .map(({ from, file }) => `${file} imports ${from}`);
}

/** What a file needs before its first line runs: neither types nor `await import(…)`, except for the program's own first one. */
function eagerTargets(file: string): string[] {
  return [...read(file).matchAll(/^(?:import|export) (?!type )[^(]*?from '([^']+)'/gm)].map(([, target = '']) => target);
}

function loadedAtStart(entries: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const open = entries.flatMap((entry) => [entry, join(dirname(entry), 'server.ts')]);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !existsSync(join(root, file))) continue;
    seen.add(file);
    const folder = dirname(file);
    for (const target of eagerTargets(file)) {
      if (target === '@dbmole/core') open.push('packages/core/src/index.ts');
      if (target.startsWith('.')) open.push(relative(root, join(root, folder, target)));
    }
  }
  return seen;
}

/** What a file imports when it is loaded, types included. A part that is loaded later may take its types from the file that loads it. */
function staticTargets(file: string): string[] {
  return [...read(file).matchAll(/(?:\bfrom|\bimport)\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    relative(root, join(root, dirname(file), target)),
  );
}

/** Files that import one another in a circle: what is left without those that import, or are imported by, nothing that is left. */
function cyclesAmong(files: readonly string[]): string[] {
  const open = new Map(files.map((file) => [file, staticTargets(file)]));
  for (let before = -1; before !== open.size; ) {
    before = open.size;
    const imported = new Set([...open.values()].flat());
    for (const [file, targets] of open) if (!imported.has(file) || !targets.some((one) => open.has(one))) open.delete(file);
  }
  return [...open].map(([file, targets]) => `${file} imports ${targets.filter((target) => open.has(target)).join(', ')}`);
}

const inside = (folder: string) => sources.filter((file) => file.startsWith(`${folder}/`));

describe('the house', () => {
  it('core names no engine', () => {
    const engines = /\b(postgres|postgresql|mysql2?|mariadb|elastic|elasticsearch|opensearch|pg|undici|sql)\b/i;
    expect(offenders(inside('packages/core/src'), engines)).toEqual([]);
  });

  it('only a guard accepts a statement of a caller, and only the backend has statements of its own', () => {
    const makers = sources.filter(
      (file) => !isTest(file) && /import [^;]*\b(accept|ownStatement)\b[^;]*read-statement\.ts'/.test(read(file)),
    );
    const allowed = /^packages\/dbmole-mcp\/src\/(engines\/\w+\/guard\/|backend\/sql-backend\.ts$)/;
    expect(makers.filter((file) => !allowed.test(file))).toEqual([]);
    expect(makers.length).toBeGreaterThan(2);
  });

  it('core imports no leaf, and a leaf no other leaf', () => {
    const leaf = /(dbmole|esmole|molehub)-mcp/;
    expect(forbidden(inside('packages/core'), (target) => leaf.test(target))).toEqual([]);
    expect(forbidden(inside('packages/dbmole-mcp'), (target) => target.includes('esmole-mcp'))).toEqual([]);
    expect(forbidden(inside('packages/esmole-mcp'), (target) => target.includes('dbmole-mcp'))).toEqual([]);
    expect(forbidden(inside('packages/molehub-mcp/src'), (target) => /(db|es)mole-mcp/.test(target))).toEqual([]);
  });

  it('the folders of core stand on one another, and each only on those below', () => {
    const floors = [
      ['redact'],
      [''],
      ['files', 'answer', 'tunnel'],
      ['policy'],
      ['registry', 'diagnosis'],
      ['manager', 'approval'],
      ['tools'],
      ['queries', 'recording'],
      ['program'],
      ['doors'],
      ['cli'],
    ];
    const folderOf = (file: string) => /^packages\/core\/src\/(?:([^/]+)\/.*)?[^/]+$/.exec(file)?.slice(1)[0] ?? '';
    const floorOf = (file: string) => floors.findIndex((folders) => folders.includes(folderOf(file)));
    const ours = inside('packages/core/src').filter((file) => !isTest(file) && !file.endsWith('/index.ts'));
    expect(ours.filter((file) => floorOf(file) < 0)).toEqual([]);
    const upward = (target: string, file: string) =>
      target.startsWith('packages/core/src/') && folderOf(target) !== folderOf(file) && floorOf(target) >= floorOf(file);
    expect(forbidden(ours, upward)).toEqual([]);
  });

  it('a package is entered by its front door', () => {
    const doors = new Set([
      '@dbmole/core',
      '@dbmole/core/client-servers',
      '@dbmole/core/failure',
      '@dbmole/core/file-lock',
      '@dbmole/core/install',
      '@dbmole/core/json-entries',
      '@dbmole/core/library',
      '@dbmole/core/line-reader',
      '@dbmole/core/log',
      '@dbmole/core/log-file',
      '@dbmole/core/match-columns',
      '@dbmole/core/paths',
      '@dbmole/core/process-identity',
      '@dbmole/core/read-buffers',
      '@dbmole/core/read-file',
      '@dbmole/core/settings',
      '@dbmole/core/shared-front',
      '@dbmole/core/shared-process',
      '@dbmole/core/stdio-life',
      '@dbmole/core/testing',
      '@dbmole/engines',
      '@dbmole/local-engine',
      '@dbmole/page/testing',
    ]);
    expect(forbidden(sources, (target) => target.startsWith('@dbmole/') && !doors.has(target))).toEqual([]);
    const outside = (target: string, file: string) =>
      target.startsWith('packages/') && target.split('/')[1] !== file.split('/')[1] && file.startsWith('packages/');
    expect(forbidden(sources, outside)).toEqual([]);
  });

  it('what is shipped imports nothing that is only for tests', () => {
    const shipped = sources.filter(
      (file) => /^packages\/(core|local-engine|page|dbmole-mcp|esmole-mcp|molehub-mcp)\/src\//.test(file) && !isTest(file),
    );
    const rule = (target: string) =>
      /\/testing\/|\/test\/|@dbmole\/engines|@dbmole\/(?:core|page)\/testing|vitest|fast-check/.test(target);
    expect(forbidden(shipped, rule)).toEqual([]);
  });

  it('no files import one another in a circle, types included', () => {
    expect(cyclesAmong(sources.filter((file) => /^packages\/[^/]+\/src\//.test(file) && !isTest(file)))).toEqual([]);
  });

  it('core exports only what another package imports', () => {
    const namesIn = (text: string) => text.split(',').map((name) => name.trim().replace(/^type /, ''));
    const imports = sources.flatMap((file) => [...read(file).matchAll(/import (?:type )?\{([^}]*)\} from '@dbmole\/core'/g)]);
    const imported = new Set(imports.flatMap(([, names = '']) => namesIn(names).map((name) => name.split(' as ')[0])));
    const exports = [...read('packages/core/src/index.ts').matchAll(/export (?:type )?\{([^}]*)\}/g)];
    const exported = exports.flatMap(([, names = '']) => namesIn(names)).filter((name) => name !== '');
    expect(exported.length).toBeGreaterThan(50);
    expect(exported.filter((name) => !imported.has(name))).toEqual([]);
  });

  it('an export is imported by another file', () => {
    const texts = sources.map(read);
    const named = texts.flatMap((text) => [...text.matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from '/g)]);
    const loaded = texts.flatMap((text) => [...text.matchAll(/\{([^{}]*)\} = await import\(/g)]);
    const imported = new Set([...named, ...loaded].flatMap(([, names = '']) => names.match(/\w+/g) ?? []));
    const wholes = sources.flatMap((file) =>
      [...read(file).matchAll(/(?:import\(|import \* as \w+ from )'(\.[^']+)'/g)].map(([, target = '']) =>
        join(dirname(file), target),
      ),
    );
    const open = /\/(index|library|library-types|library\/mole|vitest-global-setup)\.ts$|\.d\.ts$|\/engines\/postgres\/guard\//;
    const files = inside('packages').filter((file) => /\/src\//.test(file) && !open.test(file) && !wholes.includes(file));
    const exported = files.flatMap((file) =>
      [...read(file).matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)].map(
        ([, name = '']) => name,
      ),
    );
    expect(exported.length).toBeGreaterThan(1_500);
    expect(exported.filter((name) => !imported.has(name))).toEqual([]);
  });

  it('the engines of one leaf do not know each other', () => {
    const findEngine = (file: string) => /\/engines\/([^/]+)\//.exec(file)?.[1];
    const rule = (target: string, file: string) => findEngine(target) !== undefined && findEngine(target) !== findEngine(file);
    expect(forbidden(inside('packages/dbmole-mcp/src/engines'), rule)).toEqual([]);
  });

  it('only the transport writes to stdout', () => {
    const shipped = sources.filter(
      (file) => /^packages\/(core|local-engine|dbmole-mcp|esmole-mcp|molehub-mcp)\/src\//.test(file) && !isTest(file),
    );
    const allowed =
      /^packages\/(core\/src\/(program\/(serve|stdio-transport)|cli\/terminal\/terminal|doors\/shared-process\/front\/(front|session))|molehub-mcp\/src\/session\/client-session)\.ts$/;
    const others = shipped.filter((file) => !allowed.test(file));
    expect(offenders(others, /process\.stdout|\bstdout\.write/)).toEqual([]);
  });

  it('drivers and ssh2 are loaded when they are needed', () => {
    const lazy = new Set(['pg', 'mysql2', 'mysql2/promise', 'undici', 'ssh2', 'libpg-query']);
    const start = loadedAtStart(['packages/dbmole-mcp/src/main.ts', 'packages/esmole-mcp/src/main.ts']);
    expect(start.size).toBeGreaterThan(20);
    expect(forbidden([...start], (target, file) => lazy.has(target) && eagerTargets(file).includes(target))).toEqual([]);
  });

  it('names say what is inside', () => {
    const vague = /^(utils?|helpers?|common|shared|misc)(\.|$)/;
    expect(sources.filter((file) => file.split('/').some((part) => vague.test(part)))).toEqual([]);
    expect(
      sources.filter((file) => basename(file) === 'index.ts' && !/\/src\/(index|testing\/index|tools\/index)\.ts$/.test(file)),
    ).toEqual([]);
  });

  it('files of one name in a package do the same job', () => {
    const sameJob = [
      /\/cli\/(commands|queries)\/|\/tools\//, // They are called like the command or the tool.
      /\/(index|main)\.ts$/,
      /\/src\/(?!engines\/).*(engine|catalog|plan|guard|grammar|failure|diagnosis|advisor|ddl)\.ts$/, // A seam that each engine fills.
      /\/engines\/postgres\/guard\//,
    ];
    const files = sources.filter((file) => /^packages\/[^/]+\/src\//.test(file) && !isTest(file));
    const owner = (file: string) => /^packages\/[^/]+\/src\/(engines\/[^/]+\/)?/.exec(file)?.[0] ?? '';
    const names = files
      .filter((file) => !sameJob.some((pattern) => pattern.test(file)))
      .map((file) => owner(file) + basename(file));
    expect(names.length).toBeGreaterThan(500);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('a file is one room', () => {
    const lines = (file: string) => read(file).split('\n').length;
    expect(sources.filter((file) => lines(file) > (isTest(file) ? 600 : 350)).map((file) => `${file}: ${lines(file)}`)).toEqual(
      [],
    );
  });

  it('a folder holds at most 15 source files', () => {
    const folders = new Map<string, number>();
    for (const file of sources.filter((name) => !/\.test\.ts$|\/test\//.test(name))) {
      folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
    }
    expect([...folders].filter(([, count]) => count > 15)).toEqual([]);
  });

  it('prose uses plain words', () => {
    const texts = tracked.filter(
      (file) => /\.(ts|tsx|mjs|md)$/.test(file) && !/(^|\/)(engine-user|machine|house\.test)\.ts$/.test(file),
    );
    const translated = /\b(nobody|somebody|whoever|anew|stands|of ours|for ever|is none)\b/i;
    expect(offenders(texts, translated)).toEqual([]);
  });

  it('limits are called max and min, and functions are verbs', () => {
    const shipped = sources.filter(
      (file) => /^packages\/(core|dbmole-mcp|esmole-mcp|molehub-mcp)\/src\//.test(file) && !isTest(file),
    );
    expect(offenders(shipped, /\bconst (most|longest|widest|least|largest|deepest)([A-Z]\w*)? =/)).toEqual([]);
    expect(offenders(shipped, /\bfunction\*? \w+Of\b|\bconst \w+Of = (async )?\(/).length).toBeLessThanOrEqual(10);
  });

  it('a comment is a sentence, or names a thing', () => {
    const preposition = 'In|On|At|By|From|With|Without|For|Of|To|Below|Above|Before|After|Behind|Out|As|Like|Until|Than|Or|But';
    const fragment = new RegExp(`^\\s*/\\*\\* (?:${preposition}) [^,:;]*\\.(?: \\*/|$)`);
    expect(offenders(sources, fragment)).toEqual([]);
    const program = 'npm|ssh|sshd|ssh2|struct|undefined|zod';
    expect(offenders(sources, new RegExp(`^\\s*/\\*\\* (?!(?:${program})\\b)[a-z]+[ ,.]`))).toEqual([]);
  });

  it('the title of a test has at least three words', () => {
    const tests = sources.filter((file) => file.endsWith('.test.ts'));
    expect(offenders(tests, /\b(?:it|test)(?:\.each\(.*\))?\(\s*'[^'\s]*(?: [^'\s]*)?',/)).toEqual([]);
  });

  it('nothing is suppressed, focused or left out', () => {
    const loose =
      /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable|\b(it|test|describe)\.(only|skip|todo)\(|^(?!\s*(\/?\*|\/\/)).*(: any\b(?! \w)|\bas any\b)/;
    expect(
      offenders(
        sources.filter((file) => file !== 'scripts/house.test.ts'),
        loose,
      ),
    ).toEqual([]);
  });

  it('the repository speaks of the project alone', () => {
    const texts = tracked.filter((file) => !/package-lock\.json$|\.(png|wasm)$/.test(file) && file !== 'scripts/house.test.ts');
    const foreign =
      /https?:\/\/[a-z0-9.-]*(registry|pypi|maven|crates|goproxy)|(^|[\s"'`(=])\/(work|farm)\/|\/root\/|\.\.\/shared\//i;
    expect(offenders(texts, foreign)).toEqual([]);
  });
});
