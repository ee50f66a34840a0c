import { Failure } from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer/answer.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest } from '../call/cluster-request.ts';
import { maxValueLength } from '../export/clean-value.ts';
import type { QueryArgs } from '../tools/query.ts';
import { chooseLanguage, type Language } from './language.ts';
import { queryFailure } from './query-failure.ts';
import { readTable, type SentTable } from './query-rows.ts';

export type AskedQuery = Pick<QueryArgs, 'query' | 'params' | 'language'>;

const mebibyte = 1024 * 1024;
/** What of one answer is kept in memory. */
const limits: AnswerLimits = {
  bytes: mebibyte,
  json: { string: maxValueLength, list: 24 * mebibyte, total: 40 * mebibyte },
};

/** What the cluster has sent at one time. */
export interface SentRows {
  readonly table: SentTable;
  readonly answer: Answer;
}

/** Sends the requests of one query; what is no table is thrown as the failure that the cluster means. */
export interface RowReader {
  readonly language: Language;
  readonly query: string;
  /** Reads the first rows of the query with these commands at its end. */
  first(commands: string, rows: number): Promise<SentRows>;
  /** Reads what continues a table. */
  continue(request: AskedRequest, table: SentTable): Promise<SentRows>;
  /** Counts all rows, with the highest number of values that each of these columns has in one; undefined where it is not known. */
  count(columns: readonly string[]): Promise<readonly number[] | undefined>;
  /** Sends a request that nothing depends on. */
  attempt(request: AskedRequest): Promise<void>;
}

export function createRowReader(call: ClusterCall, { query, ...args }: AskedQuery): RowReader {
  const language = chooseLanguage(call.identity, { query, ...args });
  const { params } = args;
  const send = async (request: AskedRequest, before?: SentTable): Promise<SentRows> => {
    const answer = await call.ask(request, limits);
    const table = answer.status < 300 ? readTable(answer.json, before) : undefined;
    if (table === undefined) throw await queryFailure(call, answer, { language, query });
    return { answer, table };
  };
  return {
    language,
    query,
    first: (commands, rows) =>
      send(language.request(`${query}${commands}${language.limit?.(rows) ?? ''}`, rows, { params, keepsEmpty: true })),
    continue: send,
    async count(columns) {
      if (language.count === undefined) return undefined;
      try {
        const { table } = await send(language.request(`${query}${language.count(columns)}`, 1, { params }));
        return table.list[0]?.map(Number);
      } catch (error) {
        if (call.signal.aborted || !(error instanceof Failure)) throw error;
        return undefined;
      }
    },
    async attempt(request) {
      await call.ask(request).catch(() => undefined);
    },
  };
}
