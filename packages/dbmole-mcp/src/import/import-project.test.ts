import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { useTempFolder } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { projectImporter } from './import-project.ts';
import { dotEnvImporter } from './url-variables.ts';

const folder = useTempFolder();
const at = (path: string) => folder.at('app', path);

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

const database = Buffer.from(`SQLite format 3\0${' '.repeat(84)}`);
const find = (env: Record<string, string> = {}) => projectImporter.find({ env, cwd: at(''), home: folder.at('home') });
/** The files that are offered, by the names that are proposed, and why others are not. */
function look(env: Record<string, string> = {}) {
  const { found, notes } = find(env);
  return { found: Object.fromEntries(found.map(({ name, fields }) => [name, fields.file])), notes };
}

describe('connections import of a project', () => {
  it('finds the SQLite files by their header, not those of tools and hidden ones, and follows no link', () => {
    for (const path of [
      'app.db',
      'data/deep/Stock Room.sqlite',
      'a.sqlite3',
      'b.dat',
      '.cache/x.db',
      'node_modules/y/y.db',
      '.git/z.db',
    ])
      write(path, database);
    write('text.db', 'no database');
    write('empty.db', '');
    mkdirSync(folder.at('home'));
    writeFileSync(folder.at('home', 'secret.db'), database);
    symlinkSync(folder.at('home', 'secret.db'), at('link.db'));
    symlinkSync(folder.at('home'), at('linked'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [at('pipe.db')]);
    expect(look()).toEqual({
      found: { app: at('app.db'), stock_room: at('data/deep/Stock Room.sqlite'), a: at('a.sqlite3') },
      notes: [],
    });
  });

  it('does not look through a home folder', () => {
    write('app.db', database);
    expect(projectImporter.find({ env: {}, cwd: at(''), home: at('me') })).toEqual({ found: [], notes: [] });
  });

  it.each([
    ['schema.prisma', 'url = "file:./dev.db"', {}],
    ['prisma/schema.prisma', 'url      = env("DATABASE_URL")', { DATABASE_URL: 'file:./dev.db?connection_limit=1' }],
  ])('finds what %s of Prisma names', (path, url, env) => {
    const other = 'generator client {\n  provider = "prisma-client-js"\n}\n';
    write(path, `${other}datasource db {\n  provider = "sqlite"\n  ${url}\n}\n`);
    write(`${dirname(path)}/dev.db`, database);
    expect(look(env).found).toEqual({ dev: at(dirname(path) === '.' ? 'dev.db' : 'prisma/dev.db') });
    expect(dotEnvImporter.find({ env: {}, cwd: at(''), home: folder.at('home') }).notes).toEqual([]);
  });

  it('finds what Prisma reads from a .env, which begins at the schema', () => {
    write('prisma/schema.prisma', 'datasource db {\n  provider = "sqlite"\n  url = env("SHOP_FILE")\n}\n');
    write('.env', 'SHOP_FILE=file:./shop.data\nDATABASE_URL="file:./shop.data"\n');
    write('prisma/shop.data', database);
    expect(look().found).toEqual({ shop: at('prisma/shop.data') });
    const [one] = dotEnvImporter.find({ env: {}, cwd: at(''), home: folder.at('home') }).found;
    expect(one?.fields.file).toBe(at('prisma/shop.data'));
  });

  it.each([
    ["BASE_DIR / 'data.bin'", 'Path(__file__).resolve().parent.parent', 'data.bin'],
    ["BASE_DIR / 'var' / 'data.bin',", 'Path(__file__).resolve().parent.parent', 'var/data.bin'],
    ["str(BASE_DIR / 'data.bin')", 'Path(__file__).resolve().parent.parent', 'data.bin'],
    ["os.path.join(BASE_DIR, 'data.bin'),", 'os.path.dirname(os.path.dirname(os.path.abspath(__file__)))', 'data.bin'],
    ['"data.bin",', 'unknown', 'data.bin'],
    ["BASE_DIR / 'data.bin', 'OPTIONS': {'timeout': 20}", 'unknown', 'data.bin'],
    ["BASE_DIR / 'data.bin',", 'Path(__file__).parent', 'site/data.bin'],
  ])('finds what settings.py of Django names: %s', (name, base, file) => {
    const engine = "'ENGINE': 'django.db.backends.sqlite3'";
    write('site/settings.py', `BASE_DIR = ${base}\nDATABASES = {\n  'default': {\n    ${engine},\n    'NAME': ${name}\n  }\n}\n`);
    write(file, database);
    expect(look().found).toEqual({ data: at(file) });
  });

  it('finds what config/database.yml of Rails names, but not what is computed', () => {
    write(
      'config/database.yml',
      `default: &default
  adapter: sqlite3
  pool: <%= ENV.fetch("RAILS_MAX_THREADS") { 5 } %>
development:
  <<: *default
  database: storage/development.data # mine
test:
  <<: *default
  database: "storage/test.data"
production:
  primary:
    <<: *default
    database: <%= ENV["DATABASE"] %>
`,
    );
    write('storage/development.data', database);
    expect(look()).toEqual({ found: { development: at('storage/development.data') }, notes: [] });
  });

  it.each([
    ['config/database.yml', 'development:\n  adapter: sqlite3\n  database: ../home/secret.db\n'],
    ['config/database.yml', 'development:\n  adapter: sqlite3\n  database: linked/secret.db\n'],
    ['prisma/schema.prisma', 'datasource db {\n  provider = "sqlite"\n  url = "file:../../home/secret.db"\n}'],
    ['settings.py', `BASE_DIR = x${'.parent'.repeat(30)}\nD = {'ENGINE': 'django.db.backends.sqlite3', 'NAME':\n}\n`],
    ['settings.py', "D = {'ENGINE': 'django.db.backends.sqlite3',\n'NAME': '../../../../etc/passwd',\n}"],
    ['settings.py', "D = {'ENGINE': 'django.db.backends.sqlite3',\n'NAME': os.environ['FILE'],\n}"],
    ['.env', 'DATABASE_URL=sqlite:///../home/secret.db\n'],
  ])('offers nothing outside of the project, whatever %s says: %j', (path, text) => {
    write(path, text);
    mkdirSync(folder.at('home'));
    writeFileSync(folder.at('home', 'secret.db'), database);
    symlinkSync(folder.at('home'), at('linked'));
    expect(look().found).toEqual({});
    const fromEnv = dotEnvImporter.find({ env: {}, cwd: at(''), home: folder.at('home') });
    expect(fromEnv.found).toEqual([]);
    if (path === '.env') expect(fromEnv.notes.join()).toContain('outside of the project');
  });

  it('stays bounded in a large or hostile project', () => {
    write('config/database.yml', `adapter: sqlite3\n${'database: x\n'.repeat(100_000)}`);
    write('settings.py', `${"'ENGINE': 'django.db.backends.sqlite3' {".repeat(10_000)}`);
    write('schema.prisma', `datasource a {${' '.repeat(500_000)}`);
    for (let i = 0; i < 300; i += 1) write(`many/${i}.db`, database);
    write(`${'deep/'.repeat(12)}too.db`, database);
    const { found, notes } = look();
    expect(Object.keys(found).length).toBeLessThanOrEqual(200);
    expect(Object.values(found).join()).not.toContain('too.db');
    expect(notes.join('\n')).toMatch(/too many files/);
    expect(notes.join('\n')).toMatch(/config\/database\.yml: /);
  });
});
