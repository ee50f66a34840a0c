import * as z from 'zod';
import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { listPolicies } from './layers.ts';

const writeMode = z.enum(['never', 'ask', 'allow']);
type WriteMode = z.output<typeof writeMode>;

/** The part of a connection's schema that says what may be changed. */
export const writeShape = {
  /** Changes of data, and of structure. One word counts for both. */
  writes: z.union([writeMode, z.strictObject({ dml: writeMode.optional(), ddl: writeMode.optional() })]).optional(),
  /** Whether a change of everything that a table or an index has needs a confirmation. */
  noWhere: z.enum(['refuse', 'allow']).optional(),
  /** A change of more rows or documents needs a confirmation. */
  maxRows: z.int().min(1).max(1_000_000_000).optional(),
};

type WriteKeys = { [K in keyof typeof writeShape]?: z.output<(typeof writeShape)[K]> | undefined };
type Policies = WriteKeys & Pick<BaseConnection, 'environment' | 'alsoHolds'>;
type Part = 'dml' | 'ddl';
/** What a change is about; `other` counts as both. */
type WriteKind = Part | 'other';

/** Whether nothing can be written, which is what `readonly` says. */
export function allowsNoWrite({ writes: given }: Pick<Policies, 'writes'>): boolean {
  return given === 'never' || (typeof given === 'object' && given.dml === 'never' && given.ddl === 'never');
}

/** Ordered by strictness. */
const modes: readonly WriteMode[] = ['never', 'ask', 'allow'];

/** How changes of data, or of structure, are treated: the strictest of all policies that hold. */
function readWriteMode(config: Policies, part: Part): WriteMode {
  const wanted = listWritePolicies(config).map(({ writes, environment = '' }) => {
    const given = typeof writes === 'object' ? writes[part] : writes;
    return given ?? (isProduction.test(environment) ? 'ask' : undefined);
  });
  return modes.find((mode) => wanted.includes(mode)) ?? 'allow';
}

function listWritePolicies(config: Policies): readonly Policies[] {
  // The registry reads all of them with the schema of one server, which has these keys.
  return listPolicies(config as BaseConnection) as readonly Policies[];
}

/** The environments where a person confirms changes unless `writes` says otherwise. */
export const isProduction = /^\s*production\s*$/i;

/** Whether a person has to confirm a change of this kind. */
export function mustAsk(config: Policies, kind: WriteKind): boolean {
  return listParts(kind).some((part) => readWriteMode(config, part) === 'ask');
}

/** Whether a change of everything is made without a confirmation: all policies have to say so. */
export function allowsNoWhere(config: Policies): boolean {
  return listWritePolicies(config).every(({ noWhere }) => noWhere === 'allow');
}

function listParts(kind: WriteKind): readonly Part[] {
  return kind === 'other' ? ['dml', 'ddl'] : [kind];
}

/** What a policy forbids of a change of this kind. */
export function findForbidden(config: Policies, kind: WriteKind): Part | undefined {
  return listParts(kind).find((one) => readWriteMode(config, one) === 'never');
}

const partWords: Record<Part, string> = { dml: 'data', ddl: 'structure' };

interface Written {
  /** What the caller wrote: `statement`, for example. */
  what: string;
  /** The name of the connection. */
  name: string;
  kind: WriteKind;
}

/** Refuses what no policy allows, before anything is sent. A change that is of neither kind needs both. */
export function refuseWrite(config: Policies, { what, name, kind }: Written): void {
  const part = findForbidden(config, kind);
  if (part === undefined) return;
  const verb = kind === 'other' ? 'may change' : 'changes';
  throw new Failure(
    'refused',
    `the ${what} ${verb} ${partWords[part]}, which the connection "${name}" does not allow; nothing was run`,
    {
      code: 'E_WRITES_NEVER',
      hint: `Only the user can change "writes" (${part} is never), where the connection is defined.`,
    },
  );
}

/** The smallest limit of rows or documents that one call may change. */
export function readMaxRows(config: Policies): number | undefined {
  const limits = listWritePolicies(config).flatMap(({ maxRows }) => maxRows ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The policy in a few words, for lists; nothing of a connection that is read-only anyway. */
export function viewWritePolicy(config: Policies & Pick<BaseConnection, 'readonly'>) {
  if (config.readonly) return {};
  return {
    writes: formatWriteModes(config),
    noWhere: allowsNoWhere(config) ? 'allow' : undefined,
    maxRows: readMaxRows(config),
  };
}

/** Undefined where both are allowed. */
function formatWriteModes(config: Policies): string | undefined {
  const [dml, ddl] = [readWriteMode(config, 'dml'), readWriteMode(config, 'ddl')];
  if (dml === ddl) return dml === 'allow' ? undefined : dml;
  return `dml ${dml}, ddl ${ddl}`;
}
