import {
  type App,
  askUser,
  Failure,
  type QueryCall,
  type QueryRunner,
  type SavedQuery,
  type ToolContext,
  type ToolReply,
} from '@dbmole/core';
import { runWrites } from '../approval/run-writes.ts';
import type { SqlBackend } from '../backend/backend.ts';
import type { Connection } from '../connection/schema.ts';
import type { SqlGrammar } from '../engine.ts';
import type { PlanNode } from '../plan/plan-tree.ts';
import { createSqlTools, type SqlTools, type Target } from '../tool.ts';
import { readPlan } from '../tools/explain.ts';
import { runOne } from '../tools/query.ts';
import { checkWith } from './bodies.ts';
import { type BoundStatement, bindNames } from './compile.ts';

const defaultLimit = 100;
const checkMs = 30_000;

/** Runs saved queries like `query` and `execute`, with the statement from a file. */
export function openRunner(place: Pick<App<Connection, SqlBackend>, 'manager' | 'settings'>): QueryRunner {
  const tools = createSqlTools(place);
  return {
    run: (call, context) => (call.query.effect === 'write' ? write(tools, call, context) : read(tools, call, context)),
    check: (call, context) => check(tools, call, context),
  };
}

async function read(tools: SqlTools, { query, values, args }: QueryCall, context: ToolContext): Promise<ToolReply> {
  return await tools.use(findTarget({ query, args }), context, (call) => {
    const { sql, params } = bind(query, values, call.backend.grammar);
    const limit = readNumber(args.limit) ?? query.limit ?? defaultLimit;
    const shown = {
      offset: readNumber(args.offset) ?? 0,
      cell_limit: readNumber(args.cell_limit),
      cell_offset: readNumber(args.cell_offset) ?? 0,
    };
    return runOne(call, { params: [...params], limit, ...shown }, sql);
  });
}

async function write(tools: SqlTools, { query, values, args }: QueryCall, context: ToolContext): Promise<ToolReply> {
  const request = {
    ...findTarget({ query, args }),
    dry_run: args.dry_run === true,
    bind: (grammar: SqlGrammar) => [bind(query, values, grammar)],
  };
  return await runWrites(tools, request, context);
}

/** The guard checks a read, and the engine plans it; a write is neither planned nor run. */
async function check(tools: SqlTools, { query, values }: Omit<QueryCall, 'args'>, { signal }: Pick<ToolContext, 'signal'>) {
  const context = { signal, timeLimit: { milliseconds: checkMs, ofConnection: () => undefined } };
  return await tools.use(findTarget({ query, args: {} }), context, async (call) => {
    const { grammar, plan: reader } = call.backend;
    const { sql, params } = bind(query, values, grammar);
    if (query.effect === 'write') return 'writes, so it is not planned';
    if (grammar.findUnplannedWord(sql) !== undefined) {
      await call.backend.check(sql, call.options);
      return undefined;
    }
    const { plan: text } = await readPlan(call, { sql, params, analyze: false, raw: false });
    const cost = findCost(reader.parse(text, sql).roots);
    return cost === undefined ? undefined : `cost ${Math.round(cost)}`;
  });
}

/** Which engine it is for is known only now, and a text can mean something else there than elsewhere. */
function bind(query: SavedQuery, values: QueryCall['values'], grammar: SqlGrammar): BoundStatement {
  const [issue] = checkWith(query, grammar);
  if (issue === undefined) return bindNames(query, values, grammar.placeholders);
  const hint = askUser('correct the file; the next call reads it again');
  throw new Failure('config', `line ${issue.line}: ${issue.message}`, { code: 'E_QUERY_FILE', hint });
}

function findTarget({ query, args }: Pick<QueryCall, 'query' | 'args'>): Target {
  const connection = typeof args.connection === 'string' ? args.connection : query.connection;
  return { connection, database: query.database };
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The cost of the outermost step that has one. */
function findCost(nodes: readonly PlanNode[]): number | undefined {
  const costs = nodes.flatMap(({ cost, children }) => cost ?? findCost(children) ?? []);
  return costs.length === 0 ? undefined : Math.max(...costs);
}
