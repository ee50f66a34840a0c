import { respond, type ToolReply, Turns } from '@dbmole/core';
import { type AnswerLimits, textBytes } from '../answer/answer.ts';
import { buildPath, type ClusterCall } from '../call/cluster-call.ts';
import { formatUnknownIndex } from '../call/unknown-index.ts';
import type { GetMappingArgs } from '../tools/get-mapping.ts';
import { filterFields } from './field-filter.ts';
import type { Field } from './flatten.ts';
import { groupMappings, type MappingGroup } from './group-mappings.ts';
import { formatMapping, type MappingPage } from './mapping-text.ts';
import { type MergedMappings, mergeMappings, mergeTypes } from './merge-mappings.ts';
import { readFieldCaps } from './read-field-caps.ts';

/** Every index behind a name has a mapping of its own in the answer, though most are the same. */
const limits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 16 * 1024, list: 1024 * 1024, total: 64 * 1024 * 1024 },
};

export async function getMapping(call: ClusterCall, { index, fields, offset, raw }: GetMappingArgs): Promise<ToolReply> {
  const answer = await call.read({ path: buildPath(index, '_mapping', ...fieldPath(raw, fields)) }, limits);
  const types = answer.isPartial === true && !raw ? await readTypes(call, index, fields) : undefined;
  const cut =
    types === undefined ? 'It was too long to read completely: name fewer indices.' : 'Types alone: the mappings were too long.';
  const notes = [answer.isPartial ? cut : '', ...call.news(answer)];
  const note = notes.map((text) => (text === '' ? '' : ` ${text}`)).join('');
  if (raw) return respond.json(answer.json, { line: `The mapping as JSON.${note}`, readOn: 'Give fields with *.' });
  if (types !== undefined) return formatPage(await formatMapping(types, offset), note);
  const all = await groupMappings(answer.json);
  if (all.length === 0 && index !== undefined)
    return respond.text('', { line: (await formatUnknownIndex(call, index)).join(' ') });
  const groups = await filterFields(all, fields);
  const merged = await mergeMappings(groups, await findUsed(call, index, groups));
  return formatPage(await formatMapping(merged, offset), note);
}

function formatPage({ line, text }: MappingPage, note: string): ToolReply {
  return respond.text(text, { line: `${line}${note}` });
}

/** Reads types that the cluster has merged itself, which is much shorter than hundreds of mappings. */
async function readTypes(call: ClusterCall, index: string | undefined, fields = '*'): Promise<MergedMappings | undefined> {
  const params = { fields, filter_path: 'fields.*.*.type,fields.*.*.indices' };
  const caps = await readFieldCaps(call, index, params);
  return caps === undefined || caps.fields.size === 0 ? undefined : await mergeTypes(caps.fields);
}

/** With so many fields, it matters which of them documents have. */
const manyFields = 150;

/** Tells which fields documents have; undefined where there are few fields, and where the cluster does not report it. */
async function findUsed(
  call: ClusterCall,
  index: string | undefined,
  groups: readonly MappingGroup[],
): Promise<((field: Field) => boolean) | undefined> {
  const { product, major = 0, minor = 0 } = call.identity;
  const isTold = product === 'elasticsearch' && (major > 8 || (major === 8 && minor >= 13));
  if (!isTold || groups.every(({ fields }) => fields.length < manyFields)) return undefined;
  const params = { fields: '*', include_empty_fields: false, filter_path: 'fields.*.*.type' };
  const caps = await readFieldCaps(call, index, params);
  if (caps === undefined || !caps.isWhole) return undefined;
  const turns = new Turns();
  const used = new Set<string>();
  for (const name of caps.fields.keys()) {
    for (const one of listWithParents(name)) used.add(one);
    await turns.next();
  }
  // Settings of the index and computed fields are in no document.
  return ({ name, type }) => used.has(name) || name === '(index)' || type.endsWith('(runtime)');
}

function listWithParents(name: string): string[] {
  const parts = name.split('.');
  return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
}

function fieldPath(raw: boolean, fields: string | undefined): string[] {
  return raw && fields !== undefined ? ['field', fields] : [];
}
