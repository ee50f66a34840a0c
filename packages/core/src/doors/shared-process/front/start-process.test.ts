import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { useTempFolder } from '../../../testing/use-temp-folder.ts';
import { removeOldLogs } from './start-process.ts';

const folder = useTempFolder();

it('removes the logs of processes that were started long ago, and nothing else', () => {
  for (const name of ['shared-ab12.log', 'shared-cd34.log', 'shared-notes.log', 'ports.json']) writeFileSync(folder.at(name), '');
  for (const name of ['shared-ab12.log', 'shared-notes.log', 'ports.json']) utimesSync(folder.at(name), 1, 1);
  removeOldLogs(folder.path);
  expect(readdirSync(folder.path).sort()).toEqual(['ports.json', 'shared-cd34.log', 'shared-notes.log']);
});
