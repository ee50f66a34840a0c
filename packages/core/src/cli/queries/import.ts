import { resolve } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { Failure, toFailure } from '../../failure.ts';
import { readSmallFile } from '../../files/read-file.ts';
import type { Backend } from '../../manager/backend.ts';
import type { ImportedQuery } from '../../queries/loaded-queries.ts';
import { isQueryName, nameForm, parseQueryFile } from '../../queries/query-file.ts';
import { formatVisible } from '../../text.ts';
import type { CommandCall } from '../command.ts';
import { exitCodes } from '../command.ts';
import { findTarget, formatQuery, type QueryTarget, writeQuery } from './new.ts';

const maxBytes = 1024 * 1024;

/** Writes a file for each custom tool of another server, and says of the rest why it cannot be one. */
export async function importQueries<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { terminal, definition } = call;
  const [word = ''] = call.words;
  const path = resolve(terminal.cwd, word);
  const file = readSmallFile(path, { maxBytes });
  if (file === undefined) throw new Failure('input', `there is no file ${path}`);
  const target = await findTarget(call);
  const text = new TextDecoder().decode(file.bytes);
  const found = (await definition.program.importQueries?.({ path, text, reserved: target.rules.reserved })) ?? [];
  const left = found
    .map((query) => importOne(query, target, (text) => terminal.print(formatVisible(text))))
    .filter((isLeft) => isLeft);
  const program = definition.program.name;
  if (found.length === 0) terminal.print(`${formatVisible(path)} has no tools with a statement of their own.`);
  else if (left.length < found.length) terminal.print(`Check their connections with \`${program} queries check\`.`);
  return left.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** Whether it was left out. */
function importOne(query: ImportedQuery, target: QueryTarget, print: (line: string) => void): boolean {
  const outcome = writeOne(query, target);
  print(outcome.path === undefined ? `left out ${query.name}: ${outcome.reason}` : `wrote ${outcome.path}${outcome.remark}`);
  return outcome.path === undefined;
}

interface NewFile {
  name: string;
  text: string;
  remark: string;
}

type Outcome = { path: string; remark: string } | { path: undefined; reason: string };

function writeOne(query: ImportedQuery, target: QueryTarget): Outcome {
  if ('reason' in query) return { path: undefined, reason: query.reason };
  const { name, header, body, isRead, remarks } = query;
  if (!isQueryName(name)) return { path: undefined, reason: `its name cannot be that of a saved query: expected ${nameForm}` };
  const asRead = toFile(query, target);
  const issue = findIssue(asRead, target);
  const file = { name, remark: remarks.map((remark) => `, ${remark}`).join('') };
  if (issue === undefined) return write({ ...file, text: asRead }, target);
  // What is not a read may be meant to write, which a file says in a line of its own.
  const asWrite = toFile({ name, header: [...header, 'effect: write'], body }, target);
  if (isRead || target.folder.kind !== 'own' || findIssue(asWrite, target) !== undefined)
    return { path: undefined, reason: issue };
  return write({ ...file, text: asWrite, remark: `, which changes data (effect: write)${file.remark}` }, target);
}

function toFile(
  { name, header, body }: { name: string; header: readonly string[]; body: string },
  { rules }: QueryTarget,
): string {
  const [mark = ''] = rules.comments;
  return formatQuery(mark, { name, header, body });
}

/** What the file would be refused for. */
function findIssue(text: string, { rules, bodies }: QueryTarget): string | undefined {
  const { query, issues } = parseQueryFile(new TextEncoder().encode(text), rules);
  return [...issues, ...(query === undefined ? [] : bodies.checkBody(query))][0]?.message;
}

function write({ name, text, remark }: NewFile, { folder, extension }: QueryTarget): Outcome {
  try {
    return { path: writeQuery({ folder, name, extension, text }), remark };
  } catch (error) {
    return { path: undefined, reason: toFailure(error).message };
  }
}
