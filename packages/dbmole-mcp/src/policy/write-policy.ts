import { Failure, listPolicies } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import type { WriteKind } from '../engine.ts';

type WriteMode = 'never' | 'ask' | 'allow';

type Part = 'dml' | 'ddl';
type Policies = Pick<Connection, 'writes' | 'noWhere' | 'maxRows' | 'environment'> & {
  alsoHolds?: readonly object[] | undefined;
};

/** Ordered by strictness. */
const modes: readonly WriteMode[] = ['never', 'ask', 'allow'];

/** How statements that change data, or structure, are treated: the strictest of all policies that hold. */
function readWriteMode(config: Policies, part: Part): WriteMode {
  const wanted = listPolicies(config as Connection).map(({ writes, environment = '' }) => {
    const given = typeof writes === 'object' ? writes[part] : writes;
    return given ?? (isProduction.test(environment) ? 'ask' : undefined);
  });
  return modes.find((mode) => wanted.includes(mode)) ?? 'allow';
}

/** The environments where a person confirms changes unless `writes` says otherwise. */
export const isProduction = /^\s*production\s*$/i;

/** Whether a person has to confirm a statement of this kind. */
export function mustAsk(config: Policies, kind: WriteKind): boolean {
  return listParts(kind).some((part) => readWriteMode(config, part) === 'ask');
}

/** Whether a change of all rows is run without a confirmation: all policies have to say so. */
export function allowsNoWhere(config: Policies): boolean {
  return listPolicies(config as Connection).every(({ noWhere }) => noWhere === 'allow');
}

function listParts(kind: WriteKind): readonly Part[] {
  return kind === 'other' ? ['dml', 'ddl'] : [kind];
}

const partWords: Record<Part, string> = { dml: 'data', ddl: 'structure' };

/** What a policy forbids of a statement of this kind. */
export function findForbidden(config: Policies, kind: WriteKind): Part | undefined {
  return listParts(kind).find((one) => readWriteMode(config, one) === 'never');
}

/** Refuses a statement that no policy allows, before anything is sent. One that is of neither kind needs both. */
export function refuseWrite(config: Policies, name: string, kind: WriteKind): void {
  const part = findForbidden(config, kind);
  if (part === undefined) return;
  const verb = kind === 'other' ? 'may change' : 'changes';
  throw new Failure(
    'refused',
    `the statement ${verb} ${partWords[part]}, which the connection "${name}" does not allow; nothing was run`,
    {
      code: 'E_WRITES_NEVER',
      hint: `Only the user can change "writes" (${part} is never), where the connection is defined.`,
    },
  );
}

/** The smallest limit of rows that one statement may change. */
export function readMaxRows(config: Policies): number | undefined {
  const limits = listPolicies(config as Connection).flatMap(({ maxRows }) => maxRows ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The failure of a statement that changed more rows than the policy allows, and was rolled back. */
export function tooManyRows(maxRows: number, changed?: number): Failure {
  const what = changed === undefined ? `more than ${maxRows} rows` : `${changed} rows`;
  return new Failure('refused', `the statement changed ${what}, and this connection allows ${maxRows}; rolled back`, {
    code: 'E_TOO_MANY_ROWS',
    hint: 'Change fewer rows with each statement. Only the user can raise "maxRows", where the connection is defined.',
  });
}

/** The refusal of a write whose rows cannot be counted before it takes effect. */
export function refuseUncounted(why: string): Failure {
  return new Failure('refused', `${why}, so its rows cannot be counted before it takes effect; nothing was run`, {
    code: 'E_TOO_MANY_ROWS',
    hint: 'Use INSERT, UPDATE or DELETE. Only the user can remove "maxRows", where the connection is defined.',
  });
}

/** The policy in a few words, for lists; undefined where it forbids nothing. */
export function formatWritePolicy(config: Policies): string | undefined {
  const [dml, ddl] = [readWriteMode(config, 'dml'), readWriteMode(config, 'ddl')];
  if (dml === ddl) return dml === 'allow' ? undefined : dml;
  return `dml ${dml}, ddl ${ddl}`;
}
