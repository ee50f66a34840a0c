import { install, uninstall } from '@dbmole/core/install';
import { program } from '../options.ts';
import type { HubCommandCall } from './commands.ts';
import { planImport, showPlan, writePlan } from './import.ts';

/** Copies the client's servers into our own file, and then replaces them with the hub, in one change of the client's file. */
export async function installHub(call: HubCommandCall): Promise<number> {
  const { terminal, words, given, serverArgs } = call;
  const { yes, project, keep } = given;
  const plan = planImport(call);
  const replaces = keep ? [] : [...plan.known, ...plan.taken.map(({ name }) => name)];
  if (!keep) {
    showPlan(call, plan);
    if (plan.taken.length > 0) terminal.print(`They go to ${plan.into}.`);
  }
  // First the copy: if the second change fails, the servers are in both files and in neither is one missing.
  const isWanted = async (question: string) => yes || /^y(es)?$/i.test((await terminal.ask(`${question} [y/N] `)) ?? '');
  if (!keep && plan.taken.length > 0) {
    if (!(await isWanted(`Write these to ${plan.into}, and replace them in ${plan.from.client.title} with the hub?`))) {
      terminal.print(terminal.isTerminal ? 'Nothing was changed.' : 'Nothing was changed. Pass --yes to agree.');
      return 1;
    }
    await writePlan(plan);
  }
  const options = { yes: yes || plan.taken.length > 0, project };
  const code = await install({ definition: { program }, terminal, words, options, serverArgs, replaces });
  if (code === 0) terminal.print(`Run \`${program.name} check\` once, so that the client sees all tools from its first start.`);
  return code;
}

export async function uninstallHub({ terminal, words, given: { yes, project } }: HubCommandCall): Promise<number> {
  return await uninstall({ definition: { program }, terminal, words, options: { yes, project }, serverArgs: [] });
}
