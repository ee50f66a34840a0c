import { type App, askUser, Failure, type QueryCall, type QueryRunner, readonlyFailure, type ToolContext } from '@dbmole/core';
import { withQuestion } from '../approval/with-question.ts';
import type { ClusterBackend } from '../backend.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { sendRead, sendRequest } from '../call/request-reply.ts';
import type { Connection } from '../connection/schema.ts';
import { guardRequest } from '../guard/guard.ts';
import { createClusterTools } from '../tool.ts';
import { fillTemplate, parseTemplate } from './request-template.ts';

const checkMs = 30_000;

/** Saved queries take the way of `es_request`, with the request out of a file. */
export function openRunner(place: Pick<App<Connection, ClusterBackend>, 'manager'>): QueryRunner {
  const tools = createClusterTools(place);
  return {
    run: (call, context) => {
      const sent = tools.use(findConnection(call), context, async (cluster) => {
        const request = { params: {}, ...fill(call) };
        if (call.query.effect !== 'write') return await sendRead(cluster, request);
        if (cluster.lease.config.readonly !== false) throw readonlyFailure(cluster.lease.name);
        return await sendRequest(cluster, request, context.approval);
      });
      return withQuestion(context.approval, sent);
    },
    check: (call, { signal }: Pick<ToolContext, 'signal'>) => {
      const context = { signal, timeLimit: { milliseconds: checkMs, ofConnection: () => undefined } };
      return tools.use(findConnection({ ...call, args: {} }), context, async (cluster) => check(call, cluster));
    },
  };
}

/** The guard looks at it; nothing is sent. */
function check(call: Omit<QueryCall, 'args'>, { identity, lease }: ClusterCall): string | undefined {
  if (call.query.effect === 'write') return 'writes, so it is not checked further';
  guardRequest({ params: {}, body: undefined, ...fill(call) }, { identity, ...lease.backend.rules });
  return undefined;
}

function fill({ query, values }: Omit<QueryCall, 'args'>) {
  const template = parseTemplate(query);
  if ('method' in template) return fillTemplate(template, query.params, values);
  const [issue] = template;
  const hint = askUser('correct the file; the next call reads it again');
  throw new Failure('config', `line ${issue?.line}: ${issue?.message}`, { code: 'E_QUERY_FILE', hint });
}

function findConnection({ query, args }: Pick<QueryCall, 'query' | 'args'>): string | undefined {
  return typeof args.connection === 'string' ? args.connection : query.connection;
}
