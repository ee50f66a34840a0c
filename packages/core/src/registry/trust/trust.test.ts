import { chmodSync, mkdirSync, renameSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempFolder, type TempFolder } from '../../testing/temp-folder.ts';
import { allowProjectFile, createTrust, disallowProjectFile, isAllowed, openProjectFile } from './trust.ts';

let folder: TempFolder;
let file: string;
let trustPath: string;
beforeEach(() => {
  folder = createTempFolder();
  mkdirSync(folder.at('repo'));
  file = folder.at('repo', '.x.json');
  trustPath = folder.at('config', 'allowed.json');
  writeFileSync(file, '{"a": 1}');
});
afterEach(() => folder[Symbol.dispose]());

describe('allowing a project file', () => {
  it('holds for this path with this content', async () => {
    expect(isAllowed(trustPath, file)).toBe(false);
    const allowed = await allowProjectFile({ trustPath, file });
    expect(allowed).toEqual(openProjectFile(file));
    expect(isAllowed(trustPath, file)).toBe(true);
    expect(statSync(trustPath).mode & 0o777).toBe(0o600);

    writeFileSync(file, '{"a": 2}');
    expect(isAllowed(trustPath, file)).toBe(false);
    writeFileSync(file, '{"a": 1}');
    expect(isAllowed(trustPath, file)).toBe(true);

    mkdirSync(folder.at('other'));
    writeFileSync(folder.at('other', '.x.json'), '{"a": 1}');
    expect(isAllowed(trustPath, folder.at('other', '.x.json'))).toBe(false);
  });

  it('forgets the content that was allowed before, and can be taken back', async () => {
    await allowProjectFile({ trustPath, file });
    writeFileSync(file, '{"a": 2}');
    await allowProjectFile({ trustPath, file });
    writeFileSync(file, '{"a": 1}');
    expect(isAllowed(trustPath, file)).toBe(false);
    expect(await disallowProjectFile({ trustPath, file })).toBe(true);
    expect(await disallowProjectFile({ trustPath, file })).toBe(false);
  });

  it('allows what was seen, not what came instead', async () => {
    const { sha256 } = openProjectFile(file);
    writeFileSync(file, '{"a": "evil"}');
    await expect(allowProjectFile({ trustPath, file, sha256 })).rejects.toMatchObject({ kind: 'refused' });
    expect(isAllowed(trustPath, file)).toBe(false);
  });

  it('does not follow a link or a folder that was exchanged', async () => {
    await allowProjectFile({ trustPath, file });
    writeFileSync(folder.at('copy.json'), '{"a": 1}');
    unlinkSync(file);
    symlinkSync(folder.at('copy.json'), file);
    expect(isAllowed(trustPath, file)).toBe(false);

    mkdirSync(folder.at('evil'));
    writeFileSync(folder.at('evil', '.x.json'), '{"a": 1}');
    renameSync(folder.at('repo'), folder.at('old'));
    symlinkSync(folder.at('evil'), folder.at('repo'));
    expect(isAllowed(trustPath, file)).toBe(false);
  });

  it('says that a file does not exist', async () => {
    await expect(allowProjectFile({ trustPath, file: folder.at('none') })).rejects.toMatchObject({ kind: 'unknown' });
    expect(isAllowed(trustPath, folder.at('none'))).toBe(false);
  });
});

describe('a memory that cannot be trusted', () => {
  it.each(['{', '[]', '{"version": 2, "allowed": []}', '{"version": 1, "allowed": [{"path": "/x", "sha256": "z", "at": ""}]}'])(
    'allows nothing and is not overwritten: %s',
    async (text) => {
      await allowProjectFile({ trustPath, file });
      writeFileSync(trustPath, text);
      expect(isAllowed(trustPath, file)).toBe(false);
      expect(createTrust(trustPath).problem()?.message).toContain('no project file is allowed');
      await expect(allowProjectFile({ trustPath, file })).rejects.toMatchObject({ kind: 'config' });
    },
  );

  it('allows nothing while others can write it', async () => {
    await allowProjectFile({ trustPath, file });
    chmodSync(trustPath, 0o622);
    expect(isAllowed(trustPath, file)).toBe(false);
    chmodSync(trustPath, 0o600);
    expect(isAllowed(trustPath, file)).toBe(true);
  });
});
