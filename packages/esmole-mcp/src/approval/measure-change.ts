import { Failure } from '@dbmole/core';
import { countActions, formatBulkActions, readBulkActions } from './bulk-actions.ts';
import type { ChangeKind } from './change-kind.ts';
import { measureDocument } from './measure-document.ts';
import { measureIndices } from './measure-indices.ts';
import { measureCopy, measureQuery } from './measure-query.ts';
import { measureMapping, measureSettings } from './measure-settings.ts';
import { type Measured, type Measuring, unmeasured } from './measured.ts';

const measures: Readonly<Record<ChangeKind['form'], (measuring: Measuring) => Promise<Measured> | Measured>> = {
  query: measureQuery,
  copy: measureCopy,
  bulk: measureBulk,
  document: measureDocument,
  settings: measureSettings,
  mapping: measureMapping,
  indices: measureIndices,
  creation: ({ change: { names = '' } }) => ({
    summary: `a new index ${names.slice(0, 100)}`,
    basis: null,
    documents: 0,
    details: [],
  }),
  unknown: ({ change }) => unmeasured(change, 'what it changes is known only when it runs'),
};

/** Finds out what a write would change, with reads alone. The error of a request that the cluster refuses anyway is thrown. */
export async function measureChange(measuring: Measuring): Promise<Measured> {
  try {
    return await measures[measuring.change.form](measuring);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
    return unmeasured(measuring.change, error.message);
  }
}

function measureBulk({ request, change }: Measuring): Measured {
  const found = readBulkActions(request.body, change.names);
  if (found === undefined) return unmeasured(change, 'its lines cannot be told apart');
  return { summary: formatBulkActions(found), basis: null, documents: countActions(found), details: [] };
}
