import type { Approval, BaseConnection } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import type { ClusterBackend } from '../backend.ts';
import type { AskedRequest, ClusterRequest, ReadRequest } from '../call/cluster-request.ts';
import { type GuardContext, guardRequest } from '../guard/guard.ts';
import { mayName } from '../guard/index-names.ts';
import { protectAnswer } from '../policy/protect-answer.ts';
import type { WriteSite } from './judge-request.ts';

interface SiteParts {
  name: string;
  config: BaseConnection;
  approval: Approval;
  backend: ClusterBackend;
  rules: GuardContext;
  signal: AbortSignal;
  ask(request: AskedRequest): Promise<Answer>;
  failureOf: WriteSite['failureOf'];
}

/** Everything that judging and measuring a write needs of its call. */
export function createWriteSite({ name, config, approval, backend, rules, signal, ask, failureOf }: SiteParts): WriteSite {
  // A write may reach hidden indices by a pattern, so that they count as well; their names are not shown.
  const open: GuardContext = { ...rules, indices: undefined, systemIndices: true };
  const send = (request: ReadRequest, limits?: Parameters<ClusterBackend['send']>[1]['limits']) =>
    backend.send(request, { signal, ...(limits === undefined ? {} : { limits }) });
  const guarded = (request: AskedRequest, context: GuardContext) =>
    guardRequest({ ...{ method: 'GET', params: {}, body: undefined }, ...request } as ClusterRequest, context);
  return {
    name,
    config,
    approval,
    ask,
    failureOf,
    count: (request) => send(guarded(request, open)),
    mayName: (index) => mayName(index, rules),
    async protect(index, source) {
      const { fields } = backend;
      if (fields === undefined) return source;
      const table = await fields.readTable({ names: index }, (request, limits) => send(guarded(request, rules), limits));
      if (!table.has(index)) return undefined;
      const { json } = protectAnswer(source, { table, protect: fields.protect, aggregations: [], sourceOf: index });
      return json;
    },
  };
}
