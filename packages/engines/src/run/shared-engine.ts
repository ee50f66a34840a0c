import { request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { Failure } from '@dbmole/core/failure';
import type { ServerId } from '../catalog.ts';
import type { EngineOptions, RunningEngine } from '../engine.ts';
import { type BrokerReply, brokerVariable, type EngineRequest } from '../fetch/broker.ts';
import { unavailable } from '../unavailable.ts';
import { startEngine } from './start-engine.ts';

/**
 * The engine that all test files of a run share; the first who asks has it started. Work in a database, schema or index of your
 * own there. Without a broker, as when one file is run by hand outside the runner, it is a private engine.
 */
export async function sharedEngine(id: ServerId, options: EngineOptions = {}): Promise<RunningEngine> {
  const path = process.env[brokerVariable];
  if (!path) return startEngine(id, options);
  const reply = await ask(path, { id, options });
  if ('engine' in reply) return { ...reply.engine, control: undefined, stop: async () => undefined };
  const { message, hint } = reply.problem;
  if (reply.problem.unavailable) throw unavailable(message, hint ?? '');
  throw new Failure('connection', message, { ...(hint !== undefined && { hint }) });
}

function ask(socketPath: string, wanted: EngineRequest): Promise<BrokerReply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, method: 'POST', agent: false });
    request.on('response', (response) => {
      // The other end is our own broker.
      json(response).then((body) => resolve(body as BrokerReply), reject);
    });
    request.on('error', (cause) => {
      const hint = `Unset ${brokerVariable} if no test run is under way.`;
      reject(new Failure('connection', `The engine broker at ${socketPath} does not answer: ${cause.message}`, { hint, cause }));
    });
    request.end(JSON.stringify(wanted));
  });
}
