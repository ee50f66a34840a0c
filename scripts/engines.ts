/** What `npm run engines` does; the work is in packages/engines. Not by its front door, which would load the test runner. */
import { type EngineId, engineIds, isEngineId } from '../packages/engines/src/catalog.ts';
import { describeEngines } from '../packages/engines/src/describe-engines.ts';
import { bringDown, bringUp, keepEngine, listKept } from '../packages/engines/src/run/keeper.ts';
import { prepareEngines } from '../packages/engines/src/run/prepare-engines.ts';

const usage = `npm run engines                     what this machine can have, and why not
npm run engines -- fetch [id…]      download now what would be fetched on first use; all, or these
npm run engines -- up <id>          start one and leave it running; prints its address
npm run engines -- down [id…]       stop these, or all that were left running

ids: ${engineIds.join(' ')}`;

const [verb = 'list', ...words] = process.argv.slice(2);

try {
  process.exitCode = await run(verb, words);
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

async function run(command: string, given: readonly string[]): Promise<number> {
  const ids = given.filter(isEngineId);
  const unknown = given.find((word) => !isEngineId(word));
  const [first] = ids;
  if (unknown !== undefined) return complain(`There is no engine ${unknown}.`);
  if (command === 'list') return list();
  if (command === 'fetch') return fetchAll(ids.length > 0 ? ids : engineIds);
  if (command === 'down') return down(ids.length > 0 ? ids : listKept().map((kept) => kept.id));
  if (command === 'up' && first !== undefined) return up(first);
  if (command === 'keep' && first !== undefined) return keepEngine(first).then(() => 0);
  return complain(command === 'up' ? 'Which engine?' : `There is no command ${command}.`);
}

async function list(): Promise<number> {
  for (const { id, title, available, reason, advice } of await describeEngines()) {
    const rest = available ? reason : `${reason}. ${advice ?? ''}`;
    console.log(`${available ? 'yes' : 'no '}  ${id.padEnd(15)} ${title.padEnd(19)} ${rest}`);
  }
  for (const kept of listKept()) console.log(`running: ${kept.id} at ${kept.address}`);
  return 0;
}

async function fetchAll(ids: readonly EngineId[]): Promise<number> {
  const problems = await prepareEngines(ids);
  for (const [id, error] of problems) console.error(`${id}: ${describeError(error)}`);
  console.log(`${ids.length - problems.size} of ${ids.length} engines are ready`);
  return problems.size === 0 ? 0 : 1;
}

async function up(id: EngineId): Promise<number> {
  // Here and not in the background, so that one sees the progress.
  const problem = (await prepareEngines([id])).get(id);
  if (problem) throw problem;
  const script = process.argv[1] ?? '';
  const kept = await bringUp(id, [process.execPath, ...process.execArgv, script, 'keep', id]);
  console.log(kept.address);
  return 0;
}

async function down(ids: readonly EngineId[]): Promise<number> {
  for (const id of ids) console.log((await bringDown(id)) ? `${id} is stopped` : `${id} was not running`);
  return 0;
}

function complain(what: string): number {
  console.error(`${what}\n\n${usage}`);
  return 2;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'hint' in error && error.hint ? `${error.message}\n${error.hint}` : error.message;
}
