import type { Param, RowSink, SqlEngine } from '../engine.ts';
import type { CallerRead } from './backend.ts';

export function bindRead(engine: SqlEngine, { request, sink }: { request: CallerRead; sink: RowSink }) {
  return { request: withTextParams(engine, request), sink };
}

/** Lists and objects become texts, by which the server gets them. */
export function withTextParams<R extends Pick<CallerRead, 'sql' | 'params'>>(engine: SqlEngine, request: R) {
  const { sql, params } = request;
  const texts = params.map(
    (param, index): Param =>
      typeof param === 'object' && param !== null ? engine.formatListParam(param, { sql, index }) : param,
  );
  return { ...request, params: texts };
}
