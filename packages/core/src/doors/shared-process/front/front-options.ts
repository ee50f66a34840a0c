import { parseArgs } from 'node:util';
import {
  completeFlags,
  describeFlag,
  describeSetting,
  formatFlag,
  isPlace,
  joinToolNames,
  joinValues,
  type ProgramFlag,
  readFlag,
  readFlagState,
  readonlyFlag,
  readSettings,
  serverSettings,
  stdioFlags,
  tagFlag,
} from '../../../program/settings.ts';
import { parseTime } from '../../../tools/duration.ts';
import type { Hello } from '../hello.ts';
import type { FrontProgram } from './front-program.ts';

export interface FrontOptions {
  /** What this client sees of the process. */
  client: Pick<Hello, 'readonly' | 'tools' | 'timeout' | 'idleMs'>;
  /** Options that change what the process serves, as one would write them again. */
  args: readonly string[];
  url: string | undefined;
  config: string | undefined;
}

export interface FrontLine {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** Undefined for everything that is not a server with `--shared`, and for options that are wrong: the program itself handles these. */
export function readFrontOptions(program: FrontProgram, line: FrontLine): FrontOptions | undefined {
  try {
    return parse(program, line);
  } catch {
    return undefined;
  }
}

function parse(program: FrontProgram, { argv, env, cwd }: FrontLine): FrontOptions | undefined {
  const { app } = program;
  const isOther = program.other !== undefined;
  const settings = [...(isOther ? [] : serverSettings), ...program.settings];
  const flags = [...program.flags, ...(isOther ? [] : [stdioFlags.projects, tagFlag])];
  const narrowing = isOther ? [] : [readonlyFlag];
  const { values, positionals } = parseArgs({
    args: completeFlags(joinToolNames(argv), flags),
    options: Object.fromEntries([
      ...settings.map((setting) => [setting.name, describeSetting(setting)] as const),
      ...[...flags, ...narrowing, stdioFlags.shared].map((flag) => [flag.name, describeFlag(flag)] as const),
    ]),
    allowPositionals: true,
  });
  const [url, ...others] = positionals;
  const given = new Map<string, unknown>(Object.entries(values));
  const isOn = (flag: ProgramFlag) => readFlag(flag, { app, given: given.get(flag.name) === true, env });
  if (!isOn(stdioFlags.shared) || others.length > 0 || (url !== undefined && !isPlace(url, program))) return undefined;
  const texts = [...given].map(([name, value]) => [name, joinValues(value)]);
  const { tools, timeout, idle, ...kept } = readSettings(settings, { app, given: Object.fromEntries(texts), env, cwd });
  if (timeout !== undefined) parseTime(timeout);
  return {
    client: {
      ...(narrowing.some(isOn) && { readonly: true }),
      ...(tools !== undefined && { tools }),
      ...(timeout !== undefined && { timeout }),
      ...(idle !== undefined && { idleMs: parseTime(idle) }),
    },
    args: [
      ...flags.flatMap((flag) => formatFlag(flag, readFlagState(flag, { app, given: given.get(flag.name), env }))),
      ...Object.entries(kept).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ],
    url,
    config: kept.config,
  };
}
