/** A version, a name and a description stand in many places, for many readers. All of them say the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { variableOf } from '../../packages/core/src/program/settings.ts';
import { leaves } from '../docs/leaves.ts';
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
    expect(read(`Dockerfile.${app}`)).toContain(`run.mjs build ${name}\n`);
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
    const known = ['connections', 'store', 'log', 'config', 'tools', 'timeout', 'readonly'];
    const own = [...(leaf.settings ?? []), ...(leaf.flags ?? [])].map((one) => one.name);
    const variables = new Set([...known, ...own].map((one) => variableOf(app, one)));
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

describe('the changelog', () => {
  it('begins with what is not released, or with this version', () => {
    const [heading] = [...read('CHANGELOG.md').matchAll(/^## \[?([^\]\s]+)/gm)].map(([, text]) => text);
    expect(['Unreleased', version]).toContain(heading);
  });
});

describe('the workflows', () => {
  const ci = read('.github', 'workflows', 'ci.yml');
  const release = read('.github', 'workflows', 'release.yml');
  const names = leaves.map(({ name }) => name).join(', ');
  const apps = leaves.map(({ app }) => app).join(', ');

  it('try every line of Node that we promise', () => {
    expect([...ci.matchAll(/node: \[([^\]]*)\]/g)].map(([, list]) => list)).toEqual(['20, 22, 24', '20, 22, 24']);
    expect(readJson('package.json').engines).toEqual({ node: '>=20.19.0' });
  });

  it('publish every server, with its provenance and without a token', () => {
    expect(release).toContain(`name: [${names}]`);
    for (const text of [ci, release]) expect(text).toContain(`app: [${apps}]`);
    expect(release).toMatch(/npm publish .*--provenance/);
    expect(`${ci}${release}`).not.toMatch(/secrets\.|_authToken|NODE_AUTH_TOKEN/);
    for (const { name } of leaves) expect(release).toContain(`working-directory: packages/${name}\n`);
  });

  it('run scripts that are there', () => {
    const { scripts } = readJson('package.json');
    const named = [...`${ci}${release}`.matchAll(/run: npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.toSorted()).toEqual(['build', 'check']);
    for (const script of named) expect(scripts).toHaveProperty(script);
    for (const [, file = ''] of release.matchAll(/tsx (scripts\/[\w/.-]+)/g)) expect(read(file)).not.toBe('');
  });
});
