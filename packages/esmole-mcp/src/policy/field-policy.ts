import { randomBytes } from 'node:crypto';
import {
  type ColumnPolicy,
  createColumnPolicy,
  createProtectValue,
  Failure,
  listColumnLayers,
  type ProtectValue,
  readPseudonymKey,
} from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer/answer.ts';
import type { AskedRequest } from '../call/cluster-request.ts';
import type { Connection } from '../connection/schema.ts';
import { isObject } from '../guard/body/walk-json.ts';
import { FieldTable } from './field-table.ts';
import { IndexFields } from './index-fields.ts';
import { refuseField } from './refuse-field.ts';

/** Asks the cluster through the guard. */
export type AskCluster = (request: AskedRequest, limits: AnswerLimits) => Promise<Answer>;

/** What a person protects of the documents of a connection. */
export interface FieldPolicy {
  readonly protect: ProtectValue;
  /** The protected fields of the indices that a request names; undefined names all. Reads their mappings. */
  readTable(place: Place, ask: AskCluster): Promise<FieldTable>;
  /** Mappings may have changed. */
  forget(): void;
}

interface Place {
  names: string | undefined;
  /** `expand_wildcards` of the request. */
  expand?: string | undefined;
}

/** Undefined for a connection that protects nothing. */
export async function openFieldPolicy(config: Connection, folder: string | undefined): Promise<FieldPolicy | undefined> {
  const policy = createColumnPolicy(listColumnLayers(config) ?? []);
  if (policy === undefined) return undefined;
  const place = `${config.name} ${config.host}:${config.port ?? ''}`;
  const key = folder === undefined ? randomBytes(32) : await readPseudonymKey(folder, place);
  return createFieldPolicy(policy, createProtectValue(key));
}

const tableAgeMs = 60_000;
const maxTables = 50;
const limits: AnswerLimits = {
  bytes: 64 * 1024 * 1024,
  json: { string: 1_024, list: 64 * 1024 * 1024, total: 64 * 1024 * 1024, values: 3_000_000 },
};

function createFieldPolicy(policy: ColumnPolicy, protect: ProtectValue): FieldPolicy {
  const tables = new Map<string, { table: Promise<FieldTable>; until: number }>();
  return {
    protect,
    readTable(place, ask) {
      const key = `${place.expand ?? ''} ${place.names ?? ''}`;
      const known = tables.get(key);
      if (known !== undefined && known.until > performance.now()) return known.table;
      if (tables.size >= maxTables) tables.clear();
      const table = readTable(policy, place, ask);
      tables.set(key, { table, until: performance.now() + tableAgeMs });
      // A failure is not remembered: the next call asks again.
      table.catch(() => tables.delete(key));
      return table;
    },
    forget: () => tables.clear(),
  };
}

/** A cluster takes 4,096 characters of a path, and each may become three. */
const maxNamesLength = 1_200;

/** A point in time names every index that it has, which can be more than one path takes. */
function splitNames(names: string | undefined): readonly (string | undefined)[] {
  if (names === undefined || names.length <= maxNamesLength || /(?:^|,)-/.test(names)) return [names];
  const parts: string[] = [];
  for (const name of names.split(',')) {
    const last = parts.at(-1);
    if (last === undefined || last.length + name.length > maxNamesLength) parts.push(name);
    else parts[parts.length - 1] = `${last},${name}`;
  }
  return parts;
}

async function readTable(policy: ColumnPolicy, { names, expand }: Place, ask: AskCluster): Promise<FieldTable> {
  const tables: FieldTable[] = [];
  for (const part of splitNames(names)) tables.push(await readPart(policy, { names: part, expand }, ask));
  return tables.reduce((table, more) => table.with(more));
}

async function readPart(policy: ColumnPolicy, { names, expand }: Place, ask: AskCluster): Promise<FieldTable> {
  if (names?.split(',').some(isRemote) === true)
    throw refuseField('fields of remote clusters cannot be traced, and this connection protects fields; nothing was sent');
  const params = { ignore_unavailable: true, allow_no_indices: true, ...(expand !== undefined && { expand_wildcards: expand }) };
  const read = async (what: string) => {
    const path = `/${[...(names === undefined ? [] : [encodeURIComponent(names)]), what].join('/')}`;
    return readWhole(await ask({ path, params }, limits), what);
  };
  const [mappings, aliases] = await Promise.all([read('_mapping'), read('_alias')]);
  const indices = Object.entries(mappings).map(([index, about]) => {
    const known = [index, ...findStream(index), ...Object.keys(objectAt(aliases[index], 'aliases'))];
    return [index, new IndexFields(policy, known, findMapping(objectAt(about, 'mappings')))] as const;
  });
  return new FieldTable(new Map(indices), policy.strict);
}

function readWhole({ status, json, cut, isPartial }: Answer, what: string): Readonly<Record<string, unknown>> {
  if (status === 404) return {};
  if (status === 200 && isObject(json) && cut === undefined && isPartial !== true) return json;
  throw new Failure('refused', `cannot read the fields of the indices (${what} answered ${status}), and some may be protected`, {
    code: 'E_PROTECTED_COLUMN',
    hint: 'Name fewer indices. The account needs the privilege view_index_metadata.',
  });
}

/** The colons of date math and of selectors name no cluster. */
function isRemote(name: string): boolean {
  return !name.startsWith('<') && name.replace(/::(?:data|failures)$/, '').includes(':');
}

/** Old clusters put the name of a type around it. */
function findMapping(mappings: Readonly<Record<string, unknown>>): unknown {
  const [only, ...others] = Object.values(mappings);
  const isTyped = mappings.properties === undefined && others.length === 0 && isObject(only) && isObject(only.properties);
  return isTyped ? only : mappings;
}

function objectAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const inner = isObject(value) ? value[key] : undefined;
  return isObject(inner) ? inner : {};
}

/** The data stream of a backing index. */
function findStream(index: string): readonly string[] {
  const [, stream] = /^\.[df]s-(.+?)(?:-\d{4}\.\d{2}\.\d{2})?-\d{6}$/.exec(index) ?? [];
  return stream === undefined ? [] : [stream];
}
