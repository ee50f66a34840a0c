import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Broker, brokerVariable, startBroker } from './fetch/broker.ts';
import { sayProgress } from './fetch/progress.ts';
import { readSkipped, skippedVariable } from './skipped.ts';

let broker: Broker | undefined;
let skippedList: string | undefined;

/**
 * Runs before the first test file. A broker or a list that is already named belongs to the parent process: it is used and left
 * alone. So it does no harm when several projects of one run name this file.
 */
export async function setup(): Promise<void> {
  if (process.env[brokerVariable]) return;
  broker = await startBroker();
  process.env[brokerVariable] = broker.path;
  if (process.env[skippedVariable]) return;
  skippedList = join(broker.directory, 'skipped');
  writeFileSync(skippedList, '');
  process.env[skippedVariable] = skippedList;
}

/** Runs after the last one: names what was skipped, and stops everything. */
export async function teardown(): Promise<void> {
  if (skippedList) {
    nameSkipped(readSkipped(skippedList));
    delete process.env[skippedVariable];
  }
  if (broker) {
    delete process.env[brokerVariable];
    await broker.stop();
  }
}

function nameSkipped(lines: readonly string[]): void {
  if (lines.length === 0) return;
  sayProgress(`skipped for want of an engine (${lines.length}):`);
  for (const line of lines) sayProgress(`  ${line}`);
}
