import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trustPathFor } from '../../registry/sources/paths.ts';
import { allowProjectFile } from '../../registry/trust/trust.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { assertServeEnabled } from './serve-enabled.ts';

const folder = useTempFolder();
const file = '.thing.json';
const storePath = () => folder.at('config', 'connections.json');

/** Writes "serve" into a file, or nothing where it is undefined. */
function write(path: string, enabled: boolean | undefined): string {
  mkdirSync(folder.at('work', 'shop'), { recursive: true });
  mkdirSync(folder.at('config'), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ version: 1, ...(enabled !== undefined && { serve: { enabled } }) });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const project = (enabled?: boolean) => write(folder.at('work', 'shop', file), enabled);
const workspace = (enabled?: boolean) => write(folder.at('work', file), enabled);
const user = (enabled?: boolean) => write(storePath(), enabled);
const allow = (path: string) => allowProjectFile({ trustPath: trustPathFor(storePath()), file: path });

const root = () => folder.at('work', 'shop');
const check = (configPath?: string) => assertServeEnabled(root(), { projectFileName: file, storePath: storePath(), configPath });
const disabledBy = (path: string) => `serve is disabled for project ${root()} by ${realpathSync(path)}`;

describe('assertServeEnabled', () => {
  it('accepts a project about which no file says anything', () => {
    project();
    workspace();
    user();
    expect(() => check()).not.toThrow();
  });

  it('names the file that disables it, allowed or not', () => {
    const path = user(false);
    expect(() => check()).toThrow(disabledBy(path));
    const above = workspace(false);
    expect(() => check()).toThrow(disabledBy(above));
    const own = project(false);
    expect(() => check()).toThrow(disabledBy(own));
  });

  it('lets an allowed file that is more specific enable it again', async () => {
    user(false);
    await allow(workspace(true));
    expect(() => check()).not.toThrow();
    const own = project(false);
    expect(() => check()).toThrow(disabledBy(own));
    await allow(project(true));
    workspace(false);
    expect(() => check()).not.toThrow();
  });

  it('does not let a file that is not allowed enable it', () => {
    const path = user(false);
    project(true);
    expect(() => check()).toThrow(disabledBy(path));
  });

  it('lets a named file take the place of all project files', () => {
    project(false);
    const named = write(folder.at('named.json'), true);
    user(false);
    expect(() => check(named)).not.toThrow();
    write(named, undefined);
    expect(() => check(named)).toThrow(disabledBy(storePath()));
  });

  it.each(['false', '{ "enabled": "no" }', '{ "disabled": true }', '[]', 'null'])('refuses the setting %s', (serve) => {
    writeFileSync(project(), `{ "version": 1, "serve": ${serve} }`);
    expect(() => check()).toThrow('has an invalid "serve"');
  });

  it('refuses to guess what a broken file says', () => {
    writeFileSync(project(), '{ "version": 1, "serve": ');
    expect(() => check()).toThrow('is not valid JSON');
  });
});
