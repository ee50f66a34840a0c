import * as z from 'zod';
import { connectionName } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import { nearestNames } from '../../nearest.ts';
import { joinValues, type Settings } from '../../program/settings.ts';
import { typeWords } from '../../registry/edit/issues.ts';
import type { MoleApproval, MoleOptions } from './mole.ts';

export type NamedConnection = { name: string } & Record<string, unknown>;

interface ReadOptions
  extends Pick<MoleOptions<NamedConnection>, 'fromConfiguration' | 'readonly' | 'tag' | 'cwd' | 'log' | 'onApproval'> {
  connections?: readonly NamedConnection[] | undefined;
  settings: Settings;
}

interface OptionRules {
  /** What messages call the function that got the options. */
  from: string;
  /** Settings of the server; `export-dir` is the option `exportDir`. */
  own: readonly { name: string }[];
}

const shape = {
  connections: z.array(z.looseObject({ name: connectionName })).optional(),
  fromConfiguration: z.boolean().optional(),
  readonly: z.boolean().optional(),
  tools: z.union([z.string(), z.array(z.string())], 'expected text or a list of texts').optional(),
  timeout: z.union([z.string(), z.number()], 'expected a number of milliseconds, or a duration such as 30s').optional(),
  queries: z.union([z.string(), z.array(z.string())], 'expected a folder or a list of folders').optional(),
  queriesAs: z.enum(['auto', 'one']).optional(),
  audit: z.string().optional(),
  tag: z.boolean().optional(),
  cwd: z.string().optional(),
  onApproval: z.custom<MoleApproval>((value) => typeof value === 'function', 'expected a function').optional(),
  log: z
    .custom<NonNullable<MoleOptions<unknown>['log']>>((value) => typeof value === 'function', 'expected a function')
    .optional(),
};

/** Checks them all: a program without types that misspells `readonly` must not get a server that writes. */
export function readOptions(given: unknown, { from, own }: OptionRules): ReadOptions {
  const names = own.map(({ name }) => ({ name, option: toOption(name) }));
  const ownShape = Object.fromEntries(names.map(({ option }) => [option, z.string().optional()]));
  const parsed = z.strictObject({ ...shape, ...ownShape }).safeParse(given ?? {});
  if (!parsed.success) throw invalid(parsed.error.issues, { from, known: [...Object.keys(shape), ...Object.keys(ownShape)] });
  const {
    connections,
    fromConfiguration,
    readonly,
    tools,
    timeout,
    queries,
    queriesAs,
    audit,
    tag,
    cwd,
    log,
    onApproval,
    ...rest
  } = parsed.data;
  if (connections === undefined && fromConfiguration !== true) throw noConnections(from);
  refuseUnsetUrl(connections ?? [], from);
  // The schema of each is an optional text.
  const ownSettings = names.map(({ name, option }) => [name, Reflect.get(rest, option) as string | undefined]);
  return {
    connections,
    fromConfiguration,
    readonly,
    tag,
    cwd,
    log,
    onApproval,
    settings: {
      ...Object.fromEntries(ownSettings),
      queries: joinValues(queries),
      'queries-as': queriesAs,
      audit,
      tools: typeof tools === 'string' ? tools : tools?.join(','),
      timeout: typeof timeout === 'number' ? `${timeout}ms` : timeout,
    },
  };
}

function toOption(setting: string): string {
  return setting.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The values are not repeated: one under a wrong name may be a secret. */
function invalid(issues: readonly z.core.$ZodIssue[], { from, known }: { from: string; known: readonly string[] }): Failure {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const hint = `Use some of ${known.join(', ')}.`;
    return new Failure('input', `${from} has no option "${name.slice(0, 64)}"`, { nearest: nearestNames(name, known), hint });
  }
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const what = issue?.code === 'invalid_type' ? `expected ${typeWords[issue.expected] ?? issue.expected}` : issue?.message;
  return new Failure('input', `invalid option ${path.slice(1) || 'object'} of ${from}: ${what}`);
}

/** `url: process.env.SHOP_URL` without the variable would otherwise be reported as a missing host. */
function refuseUnsetUrl(connections: readonly NamedConnection[], from: string): void {
  const at = connections.findIndex((one) => 'url' in one && one.url === undefined && one.host === undefined);
  if (at < 0) return;
  throw new Failure('input', `invalid option connections[${at}].url of ${from}: it is undefined`, {
    hint: 'Check that the variable it is read from is set.',
  });
}

function noConnections(from: string): Failure {
  return new Failure('input', `${from} was given no connections`, {
    hint: 'Pass connections, or fromConfiguration: true for those that the user has configured.',
  });
}
