import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { readParamText } from '../../queries/param-type.ts';
import type { SavedQuery } from '../../queries/query-file.ts';
import type { CommandCall } from '../command.ts';
import { callTool } from '../commands/tool-command.ts';
import { confirm } from '../terminal/confirm.ts';
import { requireQueries } from './require-queries.ts';

/** What the tool of the query answers, for a person. */
export async function run<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { app, terminal, options } = call;
  const [name = '', ...pairs] = call.words;
  const loaded = requireQueries(call);
  const { query } = loaded.library.find(name);
  if (
    query.effect === 'write' &&
    !(await confirm(terminal, { question: `${name} changes data. Run it?`, yes: options.yes, instead: 'pass --yes' }))
  )
    return 1;
  const { params, others } = readPairs(query, pairs, ['connection', ...Object.keys(loaded.bodies.argumentsFor(query.effect))]);
  const isOwn = app.toolServer.names.includes(name);
  const rows = options.limit === undefined ? {} : { limit: Number(options.limit) };
  const args = { ...others, ...rows, ...(isOwn ? params : { name, params }) };
  return await callTool(call, {
    tool: isOwn ? name : 'run_saved',
    args,
    isTable: query.effect === 'read',
    waiting: `running ${name}`,
  });
}

/** `key=value` for each parameter; `connection=NAME` and the other arguments that every query takes are taken as well. */
function readPairs({ name, params }: SavedQuery, pairs: readonly string[], usual: readonly string[]) {
  const read = { params: new Map<string, unknown>(), others: new Map<string, unknown>() };
  for (const pair of pairs) {
    const [, key, text = ''] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined)
      throw new Failure('input', `invalid parameter ${JSON.stringify(pair.slice(0, 60))} of ${name}: expected KEY=VALUE`);
    const param = params.find((one) => one.name === key);
    // What does not fit is passed on, so that a person reads the same error as a caller of the tool.
    if (usual.includes(key)) read.others.set(key, text);
    else read.params.set(key, param === undefined ? text : readText(param, text));
  }
  return { params: Object.fromEntries(read.params), others: Object.fromEntries(read.others) };
}

/** The tool reads a text of JSON by itself, so that it must not be read twice. */
function readText({ type }: SavedQuery['params'][number], text: string): unknown {
  return type.kind === 'json' && !type.isList ? text : (readParamText(type, text) ?? text);
}
