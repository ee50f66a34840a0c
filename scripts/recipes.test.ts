/** The recipes of CONTRIBUTING.md name every place to touch. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './steps.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const list = (folder: string) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort();

/** The paths in one section, with these words in the place of `<…>`. */
function readPlaces(title: string, words: Readonly<Record<string, string>>): string[] {
  const section = read('CONTRIBUTING.md').split(`\n### ${title}\n`)[1]?.split('\n#')[0] ?? '';
  const paths = [...section.matchAll(/`((?:packages|docs)\/[^`\s*]+)`/g)].map(([, path = '']) => path);
  return paths.map((path) => path.replace(/<([\w-]+)>/g, (found, word: string) => words[word] ?? found));
}

const withoutComments = (code: string) => code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

describe('the recipe for a tool', () => {
  it.each(['dbmole-mcp', 'esmole-mcp'])('fits every tool of %s', (server) => {
    const folder = `packages/${server}/src/tools`;
    const files = list(folder).filter((file) => !/^index\.ts$|\.test\.ts$/.test(file));
    const definitions = list(`packages/${server}/test/tool-definitions`).map((file) => file.replace('.json', ''));
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const tool = file.replace('.ts', '');
      const name = definitions.find((one) => one.replace(/^es_/, '').replaceAll('_', '-') === tool) ?? `no definition of ${tool}`;
      const places = readPlaces('Add a tool', { server, 'name-of-the-tool': tool });
      expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([]);
      const naming = [`${folder}/index.ts`, `packages/${server}/manifest.json`, 'docs/tools.md'];
      expect(naming.filter((place) => !places.includes(place))).toEqual([]);
      expect(naming.filter((place) => !read(place).includes(place.endsWith('.ts') ? `./${file}` : name))).toEqual([]);
    }
  });
});

describe('the recipe for an engine', () => {
  const engines = readdirSync(join(root, 'packages/dbmole-mcp/src/engines'));
  const places = readPlaces('Add a database engine to dbmole', { engine: engines[0] ?? '' });

  /** SQLite has no server that the tests could start, and its tests are in a folder of their own. */
  const listEngines = (place: string) =>
    /^packages\/engines\/|\/test\//.test(place) ? engines.filter((engine) => engine !== 'sqlite') : engines;

  it('names places that exist, and each names every engine that there is', () => {
    expect(engines.length).toBeGreaterThan(1);
    expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([]);
    for (const place of places.filter((one) => one.endsWith('.ts')))
      expect([place, listEngines(place).filter((engine) => !read(place).toLowerCase().includes(engine))]).toEqual([place, []]);
  });

  it.each([
    // The sample database is one of PostgreSQL, and an advice names two programs.
    ['dbmole-mcp', /^(?:engines|demo)\/|^next-steps\.ts$/],
    ['engines', /^servers\/(?!recipes)/],
  ])('names every place where the code of %s names an engine', (workspace, others) => {
    const folder = `packages/${workspace}/src`;
    const files = list(folder).filter((file) => /(?<!\.test)\.ts$/.test(file) && !others.test(file));
    const names = new RegExp(`\\b(?:${engines.join('|')})\\b`, 'i');
    const naming = files.filter((file) => names.test(withoutComments(read(`${folder}/${file}`))));
    expect(naming.length).toBeGreaterThan(4);
    expect(naming.filter((file) => !places.some((place) => `${folder}/${file}`.startsWith(place)))).toEqual([]);
  });
});

describe('the recipe for a transport', () => {
  const folder = 'packages/core/src';
  const files = list(folder).filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('testing/'));
  const code = new Map(files.map((file) => [file, withoutComments(read(`${folder}/${file}`))]));
  const serving = files.filter((file) => /(?<!function )\b(?:serveClient|toolServer\.connect)\(/.test(code.get(file) ?? ''));
  const doors = [...new Set(serving.flatMap((file) => /^doors\/([^/]+)\//.exec(file)?.[1] ?? []))];

  it('names the folder of each transport, and stdio', () => {
    expect(doors.length).toBeGreaterThan(2);
    const others = serving.filter((file) => !file.startsWith('doors/') && file !== 'tools/tool-server.ts');
    expect(others.filter((file) => !readPlaces('Add a transport', {}).includes(`${folder}/${file}`))).toEqual([]);
    for (const name of doors)
      expect(readPlaces('Add a transport', { name }).filter((place) => !existsSync(join(root, place)))).toEqual([]);
  });

  it.each(doors)('names where %s is started', (name) => {
    const places = readPlaces('Add a transport', { name });
    const starts = files.filter((file) => !file.startsWith('doors/') && code.get(file)?.includes(`/doors/${name}/`));
    const paths = starts.map((file) => `${folder}/${file}`);
    if (read('packages/core/package.json').includes(`/doors/${name}/`)) paths.push('packages/core/package.json');
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !places.some((place) => path.startsWith(place)))).toEqual([]);
  });
});
