/** A version, a name and a description are written in many places, and what a release runs is pinned in others. All of them agree. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findVariable } from '../../packages/core/src/program/settings.ts';
import { hub, leaves } from '../docs/leaves.ts';
import { root } from '../steps.ts';

const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

/** Whatever it is, each test looks at what it needs of it. */
function readJson(...path: string[]): Record<string, unknown> {
  return JSON.parse(read(...path)) as Record<string, unknown>;
}

function labelsOf(dockerfile: string): Record<string, string> {
  return Object.fromEntries([...dockerfile.matchAll(/\b([\w.]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
}

const { version } = readJson('package.json');

describe.each(leaves)('$name', (leaf) => {
  const { name, app } = leaf;
  const manifest = readJson('packages', name, 'package.json');
  const server = readJson('packages', name, 'server.json');
  const bundle = readJson('packages', name, 'manifest.json');
  const labels = labelsOf(read(`Dockerfile.${app}`));
  const readme = read('packages', name, 'README.md');

  it('has one version', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(manifest.version).toBe(version);
    expect(server).toMatchObject({ version, packages: [{ version }] });
    expect(bundle.version).toBe(version);
    expect(labels['org.opencontainers.image.version']).toBe(version);
    expect(readJson('package-lock.json').packages).toMatchObject({ [`packages/${name}`]: { version } });
    expect(manifest.devDependencies).toMatchObject({ '@dbmole/core': version, '@dbmole/engines': version });
  });

  it('has one name', () => {
    expect(manifest.name).toBe(name);
    expect(manifest.bin).toEqual({ [name]: 'dist/main.js' });
    expect(server).toMatchObject({ title: app, packages: [{ identifier: name, registryType: 'npm' }] });
    expect(bundle).toMatchObject({ name, display_name: app });
    expect(labels['org.opencontainers.image.title']).toBe(name);
    expect(read(`Dockerfile.${app}`)).toContain(`ADD dist/${name}-${version}.tgz /\n`);
  });

  it('has one name in the registry of servers', () => {
    expect(manifest.mcpName).toMatch(new RegExp(`^io\\.github\\.[\\w-]+/${name}$`));
    expect(server.name).toBe(manifest.mcpName);
    expect(labels['io.modelcontextprotocol.server.name']).toBe(manifest.mcpName);
  });

  it('has one description, which the registry of servers takes', () => {
    const { description } = manifest;
    expect(String(description).length).toBeLessThanOrEqual(100);
    expect(server.description).toBe(description);
    expect(bundle.description).toBe(description);
    expect(labels['org.opencontainers.image.description']).toBe(description);
  });

  it('has one licence', () => {
    expect(read('LICENSE')).toMatch(/^MIT License/);
    expect([manifest.license, bundle.license, labels['org.opencontainers.image.licenses']]).toEqual(['MIT', 'MIT', 'MIT']);
  });

  it('starts the same file everywhere, and publishes it', () => {
    expect(bundle.server).toMatchObject({
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: { command: 'node', args: ['${__dirname}/dist/main.js'] },
    });
    expect(read(`Dockerfile.${app}`)).toContain('ENTRYPOINT ["node", "/app/dist/main.js"]');
    expect(manifest.files).toEqual(['dist', 'README.md', 'LICENSE', 'THIRD_PARTY_NOTICES.md']);
    expect(manifest).toMatchObject({ type: 'module', engines: readJson('package.json').engines });
    expect(bundle.compatibility).toMatchObject({ runtimes: manifest.engines });
  });

  it('asks for nothing that the server does not know', () => {
    const known = [
      'connections',
      'store',
      'log',
      'config',
      'queries',
      'queries-as',
      'tools',
      'timeout',
      'idle',
      'audit',
      'tag',
      'readonly',
    ];
    const own = [...(leaf.settings ?? []), ...(leaf.flags ?? [])].map((one) => one.name);
    const variables = new Set([...known, ...own].map((one) => findVariable(app, one)));
    const named = [...JSON.stringify([server, bundle]).matchAll(/"([A-Z]+_[A-Z_]+)"/g)].map(([, variable = '']) => variable);
    expect(named.filter((variable) => !variables.has(variable))).toEqual([]);
    expect(named.length).toBeGreaterThan(4);
    const { user_config: fields = {} } = bundle;
    const asked = [...JSON.stringify(bundle).matchAll(/\$\{user_config\.([\w-]+)\}/g)].map(([, field]) => field);
    expect(asked.toSorted()).toEqual(Object.keys(fields as object).toSorted());
  });

  it('is what its README says', () => {
    expect(readme.split('\n')[0]).toBe(`# ${name}`);
    expect(readme).toContain(`"args": ["-y", "${name}"]`);
    expect(read('README.md')).toContain(`**\`${name}\`**`);
    for (const [, other] of readme.matchAll(/npx -y ([\w-]+)/g)) expect(other).toBe(name);
  });

  it('names its repository everywhere or nowhere', () => {
    expect('repository' in server).toBe('repository' in manifest);
  });
});

describe(hub.name, () => {
  const { name, app } = hub;
  const manifest = readJson('packages', name, 'package.json');
  const server = readJson('packages', name, 'server.json');

  it('has one version, one name and one description', () => {
    expect(manifest).toMatchObject({ version, name, bin: { [name]: 'dist/main.js' }, license: 'MIT' });
    expect(manifest.devDependencies).toMatchObject({ '@dbmole/core': version, '@dbmole/engines': version });
    const { description, mcpName } = manifest;
    expect(server).toMatchObject({ version, title: app, description, name: mcpName, packages: [{ identifier: name, version }] });
    expect(String(description).length).toBeLessThanOrEqual(100);
    expect(mcpName).toBe(`io.github.dbmole/${name}`);
    expect(readJson('package-lock.json').packages).toMatchObject({ [`packages/${name}`]: { version } });
    const dockerfile = read(`Dockerfile.${app}`);
    expect(labelsOf(dockerfile)).toEqual({
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.licenses': 'MIT',
      'io.modelcontextprotocol.server.name': mcpName,
    });
    expect(dockerfile).toContain(`ADD dist/${name}-${version}.tgz /\n`);
    expect(dockerfile).toContain('ENTRYPOINT ["node", "/app/dist/main.js"]');
  });

  it('publishes the same files as the servers, and is what its README says', () => {
    expect(manifest.files).toEqual(['dist', 'README.md', 'LICENSE', 'THIRD_PARTY_NOTICES.md']);
    expect(manifest).toMatchObject({ type: 'module', engines: readJson('package.json').engines });
    const readme = read('packages', name, 'README.md');
    expect(readme.split('\n')[0]).toBe(`# ${name}`);
    expect(readme).toContain(`"args": ["-y", "${name}"`);
    expect(read('README.md')).toContain(`**\`${name}\`**`);
    for (const [, other] of readme.matchAll(/npx -y ([\w-]+)/g)) expect(other).toBe(name);
  });
});

describe('the changelog', () => {
  it('begins with what is not released, or with this version', () => {
    const [heading] = [...read('CHANGELOG.md').matchAll(/^## \[?([^\]\s]+)/gm)].map(([, text]) => text);
    expect(['Unreleased', version]).toContain(heading);
  });
});

interface Job {
  name: string;
  text: string;
}

/** The jobs of a workflow, as they are written: each begins two spaces from the left. */
function readJobs(workflow: string): Job[] {
  const [, jobs = ''] = workflow.split(/^jobs:\n/m);
  const parts = jobs.split(/^ {2}([\w-]+):\n/m).slice(1);
  return parts.flatMap((name, index) => (index % 2 === 0 ? [{ name, text: parts[index + 1] ?? '' }] : []));
}

const workflows = Object.fromEntries(
  readdirSync(join(root, '.github', 'workflows')).map((file) => [file, read('.github', 'workflows', file)]),
);
const { 'ci.yml': ci = '', 'release.yml': release = '' } = workflows;
const jobs = Object.values(workflows).flatMap(readJobs);
const publishing = jobs.filter(({ text }) => text.includes('id-token: write'));

describe('the workflows', () => {
  const names = [...leaves, hub].map(({ name }) => name).join(', ');
  const apps = [...leaves, hub].map(({ app }) => app).join(', ');

  it('try every line of Node that we promise', () => {
    expect([...ci.matchAll(/node: \[([^\]]*)\]/g)].map(([, list]) => list)).toEqual(['20, 22, 24']);
    expect([...ci.matchAll(/- node: (\d+)\n +image: node:(\d+)-/g)].map(([, node, image]) => [node, image])).toEqual(
      ['20', '22', '24'].map((line) => [line, line]),
    );
    expect(readJson('package.json').engines).toEqual({ node: '>=20.19.0' });
  });

  it('publish every server, with its provenance and without a token', () => {
    expect(release).toContain(`name: [${names}]`);
    for (const text of [ci, release]) expect(text).toContain(`app: [${apps}]`);
    expect(release).toMatch(/npm publish .*--provenance/);
    expect(`${ci}${release}`).not.toMatch(/secrets\.|_authToken|NODE_AUTH_TOKEN/);
    for (const { name } of [...leaves, hub]) expect(release).toContain(`working-directory: packages/${name}\n`);
  });

  it('run scripts that are there', () => {
    const { scripts } = readJson('package.json');
    const named = [...`${ci}${release}`.matchAll(/run: npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.toSorted()).toEqual(['build', 'check']);
    for (const script of named) expect(scripts).toHaveProperty(script);
    const files = [...`${ci}${release}`.matchAll(/tsx (scripts\/[\w/.-]+)/g)].map(([, file = '']) => file);
    expect(files).toEqual(['scripts/release/absolute-links.ts', 'scripts/release/mcpb.ts']);
    for (const file of files) expect(read(file)).not.toBe('');
  });

  it('pin every action to one commit, and say which version it is', () => {
    const uses = Object.values(workflows).flatMap((text) => [...text.matchAll(/\buses: *(.*)/g)].map(([, what = '']) => what));
    expect(uses.length).toBeGreaterThan(10);
    const foreign = uses.filter((what) => !what.startsWith('./'));
    expect(foreign.filter((what) => !/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual([]);
    const pins = new Set(foreign);
    expect(new Set(foreign.map((what) => what.split('@')[0])).size).toBe(pins.size);
  });

  it('pin every image by its digest', () => {
    const dockerfiles = [...leaves, hub].map(({ app }) => read(`Dockerfile.${app}`));
    const bases = dockerfiles.flatMap((text) => [...text.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image));
    const images = Object.values(workflows).flatMap((text) => [...text.matchAll(/\b(?:image|container): (\S+:\S+)/g)]);
    const used = [...bases, ...images.map(([, image = '']) => image)];
    expect(used.length).toBeGreaterThan(6);
    expect(used.filter((image) => image !== 'scratch' && !/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
  });

  it('give each job its own permissions, and each that publishes an environment of its own', () => {
    for (const text of Object.values(workflows)) expect(text).toMatch(/^permissions: \{\}$/m);
    expect(jobs.filter(({ text }) => !/^ {4}permissions:/m.test(text)).map(({ name }) => name)).toEqual([]);
    const environments = publishing.map(({ text }) => /^ {4}environment: ([\w-]+)$/m.exec(text)?.[1]);
    expect(publishing.map(({ name }) => name).toSorted()).toEqual(['bundles', 'images', 'npm', 'registry']);
    expect(environments).toEqual(publishing.map(({ name }) => name));
    const writing = jobs.filter(({ text }) => /: write$/m.test(text) && !publishing.some((one) => one.text === text));
    expect(writing).toEqual([]);
  });

  it('leave no credentials behind a checkout', () => {
    for (const text of Object.values(workflows)) {
      const checkouts = text.split('uses: actions/checkout@').slice(1);
      expect(checkouts.filter((rest) => !/^.*\n +with:\n +persist-credentials: false\n/.test(rest))).toEqual([]);
    }
  });

  it('build and install nothing where a job may publish', () => {
    const forbidden = /\bnpm (ci|install|i|run|exec)\b|\bnpx\b|\btsx\b|setup-node@|apt-get|\bpip\b|^ *RUN /m;
    expect(publishing.filter(({ text }) => forbidden.test(text)).map(({ name }) => name)).toEqual([]);
    for (const { app } of [...leaves, hub]) expect(read(`Dockerfile.${app}`).replace(/^#.*/gm, '')).not.toMatch(forbidden);
  });

  it('check what they download', () => {
    const all = Object.values(workflows).join('');
    expect(all).not.toMatch(/releases\/latest|gh release download|\bwget\b|curl[^\n]*\|/);
    const downloads = all.split(/\bcurl\b/).slice(1);
    expect(downloads.length).toBe(1);
    for (const rest of downloads)
      expect(rest).toMatch(/^ -fsSL [^\n]+\n[^\n]*[A-Z_]+_SHA256[^\n]* \| sha256sum --check --strict\n/);
    expect(all).toMatch(/_SHA256: [0-9a-f]{64}\n/);
  });
});

describe('the dependencies', () => {
  const lock = readJson('package-lock.json') as {
    packages: Record<string, { link?: boolean; integrity?: string; resolved?: string; optionalDependencies?: object }>;
  };

  /** Looks where Node would: beside the package, or beside one that it lies in. */
  function isLocked(name: string, from: string): boolean {
    if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in lock.packages) return true;
    return from !== '' && isLocked(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
  }

  it('are installed from the lock alone', () => {
    const files = [
      ...Object.values(workflows),
      read('scripts', 'setup.mjs'),
      ...[...leaves, hub].map(({ app }) => read(`Dockerfile.${app}`)),
    ];
    expect(files.filter((text) => /npm (install|i)\b|'install'/.test(text))).toEqual([]);
    expect(read('scripts', 'setup.mjs')).toContain("'ci', '--ignore-scripts'");
  });

  it('are locked for every platform, by their hash, and without the name of a registry', () => {
    const entries = Object.entries(lock.packages);
    const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(name, path)),
    );
    expect(missing).toEqual([]);
    const foreign = entries.filter(([path, { link }]) => path.includes('node_modules/') && link !== true);
    expect(foreign.length).toBeGreaterThan(400);
    expect(foreign.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    // `.npmrc` leaves it out: it would be the registry of the machine that wrote the lock.
    expect(foreign.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('are kept up to date by a bot: packages, actions and images', () => {
    const kinds = [...read('.github', 'dependabot.yml').matchAll(/package-ecosystem: ([\w-]+)/g)].map(([, kind]) => kind);
    expect(kinds).toEqual(['npm', 'github-actions', 'docker']);
  });
});
