import { accepted, defineTool, Failure, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { type ClusterTools, connectionArgument, indexArgument } from '../tool.ts';
import { languages, paramsArgument } from './query.ts';

const anyObject = z.looseObject({});
const names = z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()).optional()).optional();

/** A text is one of `es_query`; where it begins like none, it is Lucene syntax, as in `es_search`. */
const query = z.preprocess(readQuery, z.union([anyObject, z.string()]).optional()).optional();

function readQuery(given: unknown): unknown {
  if (typeof given !== 'string' || !/^\s*\{/.test(given)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    index: indexArgument,
    query,
    params: paramsArgument.meta(accepted),
    language: z.enum(languages).meta(accepted).optional(),
    q: z.string().optional(),
    source: names,
    fields: z
      .array(z.union([z.string(), anyObject]))
      .meta(accepted)
      .optional(),
    // A text such as `n:desc` is accepted as well.
    sort: z.array(z.unknown().meta({ type: 'object' })).optional(),
    file: z.string().min(1),
    timeout_ms: z.int().min(1).max(3_600_000).optional(),
  });

type ExportArgs = z.output<ReturnType<typeof input>>;
/** An export of the hits of a search. */
export type HitExportArgs = Pick<ExportArgs, 'index' | 'q' | 'source' | 'fields' | 'sort' | 'file'> & {
  readonly query?: Readonly<Record<string, unknown>> | undefined;
};

export function exportTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_export',
    title: 'Export',
    description: 'Writes all hits, or rows of a text as in es_query, to a new .csv or .jsonl file in the export folder.',
    effect: 'create',
    timeoutMs: 600_000,
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => {
        const place = { folder: tools.exportFolder, variable: 'ESMOLE_EXPORT_DIR', instead: 'es_search' };
        const { progress } = context;
        const { query, params, language, file } = args;
        const isText =
          typeof query === 'string' && (language !== undefined || (await import('../query/language.ts')).isQueryText(query));
        if (!isText) {
          const { exportHits } = await import('../export/export-reply.ts');
          const search = typeof query === 'string' ? { query_string: { query } } : query;
          return await exportHits(call, { ...args, query: search }, { place, progress });
        }
        refuseSearch(args);
        return await (await import('../export/export-rows.ts')).exportRows(
          call,
          { query, params, language, file },
          { place, progress },
        );
      }),
  });
}

/** A query text says itself which index it reads, and in which order. */
function refuseSearch(args: ExportArgs): void {
  const part = (['index', 'q', 'source', 'fields', 'sort'] as const).find((name) => args[name] !== undefined);
  if (part === undefined) return;
  throw new Failure('input', `\`${part}\` is of a search, and \`query\` is a text in a query language`, {
    hint: `Write it into the query: FROM index | WHERE … | SORT … | KEEP …`,
  });
}
