import { Failure, toFailure } from '@dbmole/core';
import type { ServerConnection } from '../server/connection.ts';
import { isUnknownMethod } from '../server/direct-requests.ts';
import { isPrompt, isResource, isShallow, isTemplate, isTool, type Offers } from './manifest.ts';

interface ListKind<T> {
  method: string;
  key: string;
  /** Where a server says that it has such a list. */
  capability: string;
  is(value: unknown): value is T;
}

const toolList = { method: 'tools/list', key: 'tools', capability: 'tools', is: isTool };
const promptList = { method: 'prompts/list', key: 'prompts', capability: 'prompts', is: isPrompt };
const resourceList = { method: 'resources/list', key: 'resources', capability: 'resources', is: isResource };
const templateList = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  capability: 'resources',
  is: isTemplate,
};

const maxPages = 100;
const maxItems = 2_000;
/** All of one list as JSON: it is read, compared and written whenever it changes. */
const maxLength = 2 * 1024 * 1024;
/** What is beside the tools does not keep them waiting longer. */
const besideMs = 10_000;

const hint = 'Ask its authors for fewer.';

/** All that a server offers. A list beside that of the tools that cannot be read is empty, and `problem` says so. */
export async function listOffers(
  connection: ServerConnection,
  signal: AbortSignal,
): Promise<{ offers: Offers; problem: string | undefined }> {
  let problem: string | undefined;
  const short = AbortSignal.any([signal, AbortSignal.timeout(besideMs)]);
  const listBeside = async <T>(kind: ListKind<T>): Promise<T[]> => {
    if (connection.capabilities[kind.capability] === undefined) return [];
    return await listAll(connection, kind, short).catch((error: unknown) => {
      if (!isUnknownMethod(error)) problem = `its ${kind.key} could not be listed: ${toFailure(error).message}`;
      return [];
    });
  };
  const [tools, prompts, resources, templates] = await Promise.all([
    listTools(connection, signal),
    listBeside(promptList),
    listBeside(resourceList),
    listBeside(templateList),
  ]);
  return { offers: { tools, prompts, resources, templates }, problem };
}

/** Some servers list tools without saying that they have any, and some have none. */
async function listTools(connection: ServerConnection, signal: AbortSignal) {
  return await listAll(connection, toolList, signal).catch((error: unknown) => {
    if (connection.capabilities.tools === undefined && isUnknownMethod(error)) return [];
    throw error;
  });
}

/** Page by page. */
async function listAll<T>(connection: ServerConnection, { method, key, is }: ListKind<T>, signal: AbortSignal): Promise<T[]> {
  const items: T[] = [];
  let length = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const result = await connection.request(method, cursor === undefined ? {} : { cursor }, { signal });
    if (!isShallow(result[key])) throw new Failure('limit', `its ${key} are nested too deeply`, { hint: 'Tell its authors.' });
    length += JSON.stringify(result[key] ?? '').length;
    if (length > maxLength) throw new Failure('limit', `its ${key} have more than ${maxLength} characters`, { hint });
    addItems(items, result[key], is);
    if (items.length > maxItems) break;
    const { nextCursor } = result;
    if (typeof nextCursor !== 'string' || nextCursor === cursor) return items;
    cursor = nextCursor;
  }
  throw new Failure('limit', `the server lists more than ${maxItems} ${key}`, { hint });
}

function addItems<T>(items: T[], listed: unknown, is: (value: unknown) => value is T): void {
  for (const one of Array.isArray(listed) ? listed : []) if (is(one)) items.push(one);
}
