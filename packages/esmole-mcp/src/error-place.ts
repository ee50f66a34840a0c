import { type Failure, failureWith } from '@dbmole/core';
import type { Answer, AnswerLimits } from './answer.ts';
import { valueAt } from './answer-failure.ts';
import type { AskedRequest, Call } from './call.ts';

const around = 40;

/** As `Call.read`; when the cluster complains of a place in the body, the failure shows what stands there. */
export async function readWithPlace(call: Call, request: AskedRequest, limits: AnswerLimits): Promise<Answer> {
  const answer = await call.ask(request, limits);
  const failure = await call.failureOf(answer);
  if (failure === undefined) return answer;
  const place = placeIn(answer.json, request.body);
  throw place === undefined ? failure : withPlace(failure, place);
}

interface Place {
  text: string;
  column: number;
}

/** Bodies are sent as one line, so the column is enough. */
function placeIn(json: unknown, body: unknown): Place | undefined {
  const cause = valueAt(json, ['error', 'root_cause', '0']) ?? valueAt(json, ['error']);
  const [line, column] = [valueAt(cause, ['line']), valueAt(cause, ['col'])];
  if (typeof line !== 'number' || typeof column !== 'number' || body === undefined) return undefined;
  const text = (typeof body === 'string' ? body : JSON.stringify(body)).split('\n')[line - 1];
  return text === undefined ? undefined : { text, column };
}

function withPlace(failure: Failure, { text, column }: Place): Failure {
  const from = Math.max(0, column - around);
  const part = `${from > 0 ? '…' : ''}${text.slice(from, column + around)}${text.length > column + around ? '…' : ''}`;
  return failureWith(failure, { message: `${failure.message}; at ${part}`, position: column });
}
