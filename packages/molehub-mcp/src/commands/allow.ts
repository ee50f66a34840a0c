import { resolve } from 'node:path';
import { allowProjectFile, confirm, disallowProjectFile, Failure, formatVisible, isAllowed, openProjectFile } from '@dbmole/core';
import { findPlaces } from '../config/places.ts';
import { parseServers } from '../config/read-config.ts';
import { files } from '../options.ts';
import type { HubCommandCall } from './commands.ts';

/** The person sees the whole file first: all of it begins to count, programs and variables. */
export async function allow(call: HubCommandCall): Promise<number> {
  const { terminal, given } = call;
  const { file: path, trust } = findFile(call);
  const file = openProjectFile(path);
  const servers = parseServers(file.text, file.path);
  if (isAllowed(trust, file.path)) {
    terminal.print(`${file.path} is allowed already.`);
    return 0;
  }
  terminal.print(`${formatVisible(file.path)}\n\n${formatVisible(JSON.stringify(servers, null, 2))}\n`);
  const question = 'Allow a hub in this project to start these programs, with the variables they name?';
  if (!(await confirm(terminal, { question, yes: given.yes, instead: 'pass --yes after reading the file' }))) {
    terminal.print('Not allowed.');
    return 1;
  }
  await allowProjectFile({ trustPath: trust, file: file.path, sha256: file.sha256 });
  terminal.print(`Allowed ${file.path} as it is now. A running hub notices it.`);
  return 0;
}

export async function disallow(call: HubCommandCall): Promise<number> {
  const { file, trust } = findFile(call);
  const wasAllowed = await disallowProjectFile({ trustPath: trust, file });
  call.terminal.print(`${formatVisible(file)} ${wasAllowed ? 'is no longer allowed.' : 'was not allowed.'}`);
  return 0;
}

function findFile({ words: [word], options }: HubCommandCall): { file: string; trust: string } {
  const { project, trust } = findPlaces(options, options.config);
  const file = word === undefined ? project : resolve(options.cwd, word);
  if (file !== undefined) return { file, trust };
  throw new Failure('unknown', `there is no ${files.project} here or in a folder above`, { hint: 'Name the file.' });
}
