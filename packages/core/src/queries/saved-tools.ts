import * as z from 'zod';
import { respond, type ToolReply } from '../answer/respond.ts';
import { askUser, Failure, failureWith } from '../failure.ts';
import { isFields } from '../registry/tree.ts';
import { formatVisible } from '../text.ts';
import { documentedElsewhere } from '../tools/compact-schema.ts';
import { defineTool, type Tool, type ToolContext } from '../tools/tool.ts';
import { formatParam, type QueryParam } from './param-line.ts';
import { createParamShape, readParams } from './params-schema.ts';
import type { SavedQuery } from './query-file.ts';
import type { QueryLibrary } from './query-library.ts';

/** More are offered by `run_saved` and `list_saved` instead of a tool for each. */
export const maxOwnTools = 10;
export const foldedNames: readonly string[] = ['run_saved', 'list_saved'];

/** A call of a saved query: its values by name, and the arguments that every query of its effect takes. */
export interface QueryCall {
  query: SavedQuery;
  file: string;
  values: ReadonlyMap<string, unknown>;
  args: Readonly<Record<string, unknown>>;
}

/** What a server does with its saved queries. */
export interface QueryRunner {
  run(call: QueryCall, context: ToolContext): Promise<ToolReply>;
  /** Checks it on its connection with these values, without running it. Returns what is known of its cost. */
  check(call: Omit<QueryCall, 'args'>, context: Pick<ToolContext, 'signal'>): Promise<string | undefined>;
}

export interface SavedTools {
  library: QueryLibrary;
  /** The arguments of every saved query beside its own, by its effect; without `connection`. */
  argumentsFor(effect: SavedQuery['effect']): Record<string, z.ZodType>;
  runner(): Promise<QueryRunner>;
}

const connectionArgument = z.string().min(1).optional().meta(documentedElsewhere);

/** A query that names its connection takes no other; callers may repeat that one, as they do with other tools. */
function connectionField({ connection }: Pick<SavedQuery, 'connection'>): Record<string, z.ZodType> {
  return { connection: connection === undefined ? connectionArgument : z.literal(connection).optional() };
}

function adviseConnection({ name, connection }: SavedQuery): Record<string, string> {
  return connection === undefined ? {} : { connection: `${name} runs on ${connection} alone; leave connection out.` };
}

/** A tool for each query that can be run now. What is listed stays; each call reads the file as it is then. */
export function createQueryTools(saved: SavedTools, queries: readonly SavedQuery[]): Tool[] {
  return queries.map((query) => createQueryTool(saved, query));
}

function createQueryTool(saved: SavedTools, query: SavedQuery): Tool {
  const listed = defineQueryTool(saved, { query });
  const { name } = query;
  return {
    ...listed,
    // The getter is not copied.
    get input() {
      return listed.input;
    },
    resolve() {
      const now = saved.library.find(name);
      refuseNewEffect(now.query, query.effect);
      return defineQueryTool(saved, now);
    },
  };
}

/** With its file when it is called: a connection that the query names is not listed, and accepted. */
function defineQueryTool(saved: SavedTools, { query, file }: { query: SavedQuery; file?: string }): Tool {
  const { name, params, effect, timeoutMs } = query;
  const isListed = file === undefined;
  return defineTool({
    name,
    title: name.replaceAll('_', ' '),
    description: describeQuery(query),
    isSaved: true,
    ...(effect === 'write' ? { effect: 'destroy', asksPerson: true } : { effect: 'read' }),
    ...(timeoutMs === undefined ? {} : { ownTimeoutMs: timeoutMs }),
    advice: adviseConnection(query),
    input: () =>
      z.strictObject({
        ...createParamShape(params),
        ...(isListed && query.connection !== undefined ? {} : connectionField(query)),
        ...saved.argumentsFor(effect),
      }),
    handler: (args, context) => runQuery(saved, { query, file: file ?? '', values: readParams(params, args), args }, context),
  });
}

/** What a model reads of a query. */
function describeQuery({ description, when }: Pick<SavedQuery, 'description' | 'when'>): string {
  return when === undefined ? description : `${endSentence(description)} Use it when ${endSentence(when)}`;
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

async function runQuery(saved: SavedTools, call: QueryCall, context: ToolContext): Promise<ToolReply> {
  const { connection } = call.query;
  const args = connection === undefined ? call.args : { ...call.args, connection };
  const runner = await saved.runner();
  return await runner.run({ ...call, args }, context).catch((error: unknown) => Promise.reject(withFile(error, call)));
}

const ofText: readonly Failure['kind'][] = ['engine', 'unknown', 'refused'];

/** A mistake in the text is corrected in the file, which a caller does not know. */
function withFile(error: unknown, { query, file }: QueryCall): unknown {
  if (!(error instanceof Failure) || error.code === 'E_READONLY') return error;
  const isSeveral = error.code === 'E_MULTIPLE_STATEMENTS';
  const isOfText = ofText.includes(error.kind) || ['E_QUERY_FILE', 'E_SYNTAX'].includes(error.code);
  if (!isOfText && !isSeveral) return error;
  const message = `${error.message} (saved query ${query.name}, ${formatVisible(file)})`;
  // Elsewhere a caller can pass several.
  return failureWith(error, { message, ...(isSeveral && { hint: askUser('keep one statement in the file') }) });
}

/** The hints of a tool are read once, so a file cannot turn a tool that reads into one that writes. */
function refuseNewEffect(query: SavedQuery, listed: SavedQuery['effect']): void {
  if (query.effect === listed || query.effect === 'read') return;
  throw new Failure('refused', `the saved query ${query.name} writes now, but this server listed it as a read`, {
    code: 'E_RESTART_NEEDED',
    hint: askUser('restart this server, for example by reconnecting it in the client'),
  });
}

interface Fold {
  /** Whether at least one of the queries writes. */
  mayWrite: boolean;
  /** Whether these tools may run and show the query. */
  offers(query: SavedQuery): boolean;
}

/** One tool that runs any of the queries, and one that finds them. */
export function createFoldedTools(saved: SavedTools, fold: Fold): Tool[] {
  return [createRunTool(saved, fold), createListTool(saved, fold)];
}

function createRunTool(saved: SavedTools, { mayWrite, offers }: Fold): Tool {
  const listed = defineRunTool(saved, { mayWrite });
  return {
    ...listed,
    get input() {
      return listed.input;
    },
    resolve(args) {
      const name = isFields(args) ? args.name : undefined;
      if (typeof name !== 'string') return listed;
      const found = saved.library.find(name);
      refuseNewEffect(found.query, mayWrite ? 'write' : 'read');
      if (!offers(found.query)) throw new Failure('refused', `the saved query ${name} is not offered to this client`);
      return defineRunTool(saved, { mayWrite, found });
    },
  };
}

/** Once the query is known, its parameters are a part of the arguments. */
function defineRunTool(
  saved: SavedTools,
  { mayWrite, found }: { mayWrite: boolean; found?: ReturnType<QueryLibrary['find']> },
): Tool {
  const { query } = found ?? {};
  const keys = new Set(query?.params.map(({ name }) => name));
  return defineTool({
    // Errors name the query that is meant.
    name: query?.name ?? 'run_saved',
    title: 'Run saved',
    description: 'Runs a reviewed query; list_saved finds it and its params.',
    isSaved: true,
    ...(mayWrite ? { effect: 'destroy', asksPerson: true } : { effect: 'read' }),
    ...(query?.timeoutMs === undefined ? {} : { ownTimeoutMs: query.timeoutMs }),
    ...(query === undefined
      ? {}
      : { nested: { argument: 'params', keys }, advice: { params: describeParams(query), ...adviseConnection(query) } }),
    input: () =>
      z.strictObject({
        name: z.string(),
        params: query === undefined ? anyParams : createParamsField(query),
        ...connectionField(query ?? {}),
        ...(query?.effect !== 'write' ? saved.argumentsFor('read') : {}),
        ...(query?.effect === 'write' || (query === undefined && mayWrite) ? saved.argumentsFor('write') : {}),
      }),
    async handler({ name, params, ...args }, context) {
      const { query, file } = found ?? saved.library.find(String(name));
      const values = readParams(query.params, isFields(params) ? params : {});
      return await runQuery(saved, { query, file, values, args }, context);
    },
  });
}

function describeParams({ name, params }: SavedQuery): string {
  if (params.length === 0) return `${name} takes no params.`;
  return `Params of ${name}: ${params.map(formatParam).join(', ')}.`;
}

/** The parameters of a query that is not known yet. A loose object would be shown with two keys that say nothing. */
const anyParams = z.unknown().optional().meta({ type: 'object' });

/** A field that is left out is empty, so that an error names what is missing in it. */
function createParamsField({ params }: SavedQuery): z.ZodType {
  return z.strictObject(createParamShape(params)).prefault({});
}

const maxListed = 100;

function createListTool({ library }: SavedTools, { offers }: Fold): Tool {
  return defineTool({
    name: 'list_saved',
    title: 'List saved',
    description: 'Finds saved queries by words.',
    isSaved: true,
    effect: 'readLocal',
    input: () => z.strictObject({ words: z.string().max(200).optional() }),
    handler: async ({ words = '' }) => {
      const offered = library.ready().filter(offers);
      const found = rankQueries(offered, words);
      const shown = found.slice(0, maxListed);
      const what = words.trim() === '' ? '' : ` of ${offered.length} fit ${JSON.stringify(words.slice(0, 60))}`;
      const more = found.length > shown.length ? `; the first ${shown.length}. Pass words to find others.` : '.';
      if (found.length === 0)
        return respond.text(
          `No saved query fits ${JSON.stringify(words.slice(0, 60))}; there are ${offered.length}. Use other words.`,
        );
      return respond.text(shown.map(formatListed).join('\n'), {
        line: `${found.length} saved ${found.length === 1 ? 'query' : 'queries'}${what}${more}`,
      });
    },
  });
}

function formatListed(query: SavedQuery): string {
  const { name, params, effect, connection } = query;
  const details = params.map((param) => formatDetail(param)).join('');
  const where = connection === undefined ? '' : ` on ${connection}`;
  return `${name}(${params.map(formatParam).join(', ')})${where}${effect === 'write' ? ', writes' : ''}: ${describeQuery(query)}${details}`;
}

function formatDetail({ name, description, examples: [example] }: QueryParam): string {
  const shown = example === undefined ? '' : `Example: ${typeof example === 'string' ? example : JSON.stringify(example)}`;
  const text = [description, shown].filter((part) => part !== '').join(' ');
  return text === '' ? '' : `\n  ${name}: ${text}`;
}

/** Those with the most of the words first; all of them without words. */
function rankQueries(queries: readonly SavedQuery[], text: string): SavedQuery[] {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
  if (words.length === 0) return [...queries];
  const scored = queries.map((query) => {
    const name = query.name.replaceAll('_', ' ');
    const others = [query.description, query.when ?? '', ...query.params.map((param) => `${param.name} ${param.description}`)];
    const rest = others.join(' ').toLowerCase();
    const score = words.reduce((sum, word) => sum + (name.includes(stem(word)) ? 2 : rest.includes(stem(word)) ? 1 : 0), 0);
    return { query, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ query }) => query);
}

/** `orders` also finds `order`. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|es|s)$/, '') : word;
}
