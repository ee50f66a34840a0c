import { Failure, formatAdvice, formatVisible, nearestNames, toFailure } from '@dbmole/core';
import type { ConfiguredServer } from '../config/read-config.ts';
import { Hub } from '../hub/hub.ts';
import { countOffers, formatLog, formatStatus } from '../hub/status.ts';
import { program } from '../options.ts';
import type { HubCommandCall } from './commands.ts';

const silent = () => undefined;

/** What the files say and what was seen last. Processes belong to the hubs that run. */
export async function status({ terminal, words: [only], options }: HubCommandCall): Promise<number> {
  const hub = new Hub({ ...options, log: silent });
  if (only !== undefined) requireNames(hub, [only]);
  terminal.print(formatStatus(hub, { only, door: { program: program.name } }));
  return hub.config.problems.length > 0 ? 1 : 0;
}

/** Servers that start at the same time. */
const maxStarts = 4;

/** Starts servers a few at a time, as a hub would, and shows them in the order of the files. */
export async function check({ terminal, words, options }: HubCommandCall): Promise<number> {
  const hub = new Hub({ ...options, log: silent });
  requireNames(hub, words);
  for (const problem of hub.config.problems) terminal.printError(`${problem.code}: ${problem.message}`);
  let failed = hub.config.problems.length;
  const chosen = hub.config.servers.filter(({ name, entry }) =>
    words.length === 0 ? entry?.enabled !== false : words.includes(name),
  );
  try {
    const outcomes: Promise<Failure | undefined>[] = [];
    const learn = (server: ConfiguredServer) => hub.learn(server).then(() => undefined, toFailure);
    for (const [index, server] of chosen.entries())
      outcomes.push(Promise.resolve(outcomes[index - maxStarts]).then(() => learn(server)));
    for (const [index, server] of chosen.entries()) {
      const done = terminal.busy(`starting ${server.name}`);
      const failure = await outcomes[index];
      done();
      if (failure !== undefined) failed += 1;
      terminal.print(formatVisible(formatOutcome(hub, server, failure)));
    }
  } finally {
    await hub.dispose();
  }
  if (chosen.length === 0) terminal.print(`No servers are configured. Run \`${program.name} import CLIENT\`.`);
  return failed > 0 ? 1 : 0;
}

function formatOutcome(hub: Hub, server: ConfiguredServer, failure: Failure | undefined): string {
  if (failure === undefined) return `ok  ${server.name}: ${describe(hub, server)}`;
  const advice = formatAdvice(failure, { program: program.name });
  return [`!!  ${server.name}: ${advice}`, ...formatLog(hub, server)].join('\n    ');
}

function describe(hub: Hub, server: ConfiguredServer): string {
  const manifest = hub.manifestFor(server);
  if (manifest === undefined) return 'it has not reported what it offers';
  const { name = '', version = '', tools, era } = manifest;
  const offered = [...hub.listing.tools.values()].filter(({ server }) => server === manifest.server).length;
  const offers = `${countOffers(manifest, tools.length)}${offered === tools.length ? '' : `, ${offered} of the tools offered`}`;
  return `${`${name} ${version}`.trim() || 'unnamed'}, ${offers}, ${era === 'modern' ? '2026-07-28' : 'an older protocol'}`;
}

function requireNames(hub: Hub, names: readonly string[]): void {
  const known = hub.config.servers.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new Failure('unknown', `server ${JSON.stringify(name.slice(0, 100))} is not configured`, {
      nearest: nearestNames(name, known),
      hint: { run: 'status', to: 'see what is configured' },
    });
  }
}
