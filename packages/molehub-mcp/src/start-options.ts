import { parseLogLevel } from '@dbmole/core/log';
import { findVariable, parseTime, readFlag, readSettings } from '@dbmole/core/settings';
import type { Surroundings } from './config/places.ts';
import type { StartOptions } from './hub/start-list.ts';
import { flags, program, settings } from './options.ts';

/** What a hub is started with: the options of the command line, and their variables. Throws when one is wrong. */
export function readStartOptions(values: Readonly<Record<string, unknown>>, { env, cwd, home }: Surroundings): StartOptions {
  const { app } = program;
  const given = Object.fromEntries(
    settings.flatMap(({ name }) => (typeof values[name] === 'string' ? [[name, values[name]]] : [])),
  );
  const { config, idle } = readSettings(settings, { app, given, env, cwd });
  if (idle !== undefined) parseTime(idle, 'idle time');
  const log = findVariable(app, 'log');
  parseLogLevel(env[log], log);
  const isOn = (name: string) =>
    flags.some((flag) => flag.name === name && readFlag(flag, { app, given: values[name] === true, env }));
  return { env, cwd, home, config, search: isOn('search'), pin: isOn('pin') };
}
