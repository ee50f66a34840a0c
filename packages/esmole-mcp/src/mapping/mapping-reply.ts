import { respond, type ToolReply } from '@dbmole/core';
import { type AnswerLimits, textBytes } from '../answer/answer.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { buildPath } from '../call/path.ts';
import { formatUnknownIndex } from '../call/unknown-index.ts';
import type { GetMappingArgs } from '../tools/get-mapping.ts';
import { describeAnalyzers } from './analyzers.ts';
import { filterFields } from './field-filter.ts';
import { type Populated, readPopulated, searchPopulated, tellsPopulated } from './find-populated.ts';
import { groupMappings, type MappingGroup } from './group-mappings.ts';
import { formatMapping, type MappingPage, manyFields } from './mapping-text.ts';
import { type MergedMappings, mergeMappings, mergeTypes } from './merge-mappings.ts';
import { readFieldCaps } from './read-field-caps.ts';

/** Every index behind a name has a mapping of its own in the answer, though most are the same. */
const limits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 16 * 1024, list: 1024 * 1024, total: 64 * 1024 * 1024 },
};

export async function getMapping(call: ClusterCall, args: GetMappingArgs): Promise<ToolReply> {
  const { index, fields, offset, raw } = args;
  const remote = index?.includes(':') === true && !raw ? await readTypes(call, args) : undefined;
  if (remote !== undefined) return formatPage(await formatMapping(remote, offset), ['Types alone, as of remote clusters.']);
  const answer = await call.read({ path: buildPath(index, '_mapping', ...fieldPath(raw, fields)) }, limits);
  const types = answer.isPartial === true && !raw ? await readTypes(call, args) : undefined;
  const cut =
    types === undefined ? 'It was too long to read completely: name fewer indices.' : 'Types alone: the mappings were too long.';
  const notes = [answer.isPartial ? cut : '', ...call.news(answer)];
  if (raw) return respond.json(answer.json, { line: joinNotes('The mapping as JSON.', notes), readOn: 'Give fields with *.' });
  if (types !== undefined) return formatPage(await formatMapping(types, offset), notes);
  const all = await groupMappings(answer.json);
  if (all.length === 0 && index !== undefined)
    return respond.text('', { line: (await formatUnknownIndex(call, index)).join(' ') });
  const groups = await filterFields(all, fields);
  const populated = await findPopulated(call, args, groups);
  const merged = await mergeMappings(groups, { isUsed: populated?.isUsed, onlyUsed: args.populated });
  const analyzers = offset > 0 ? '' : await describeAnalyzers(call, index, groups);
  const page = await formatMapping(merged, offset, analyzers.length);
  return formatPage(page, [...notes, populated?.note ?? ''], analyzers);
}

function formatPage({ line, text }: MappingPage, notes: readonly string[], analyzers = ''): ToolReply {
  const body = analyzers === '' ? text : `${text}\n\n${analyzers}`;
  return respond.text(body, { line: joinNotes(line, notes) });
}

function joinNotes(line: string, notes: readonly string[]): string {
  return [line, ...notes].filter((text) => text !== '').join(' ');
}

/** Reads types that the cluster has merged itself, which is much shorter than hundreds of mappings. */
async function readTypes(
  call: ClusterCall,
  { index, fields = '*', populated }: GetMappingArgs,
): Promise<MergedMappings | undefined> {
  const params = {
    fields,
    filter_path: 'fields.*.*.type,fields.*.*.indices',
    ...(populated && tellsPopulated(call) && { include_empty_fields: false }),
  };
  const caps = await readFieldCaps(call, index, params);
  return caps === undefined || caps.fields.size === 0 ? undefined : await mergeTypes(caps.fields);
}

/** Searches for it only where that is asked for, as it may take long. */
async function findPopulated(
  call: ClusterCall,
  { index, populated }: GetMappingArgs,
  groups: readonly MappingGroup[],
): Promise<Populated | undefined> {
  if (!populated && groups.every(({ fields }) => fields.length < manyFields)) return undefined;
  const known = await readPopulated(call, index);
  return known ?? (populated ? await searchPopulated(call, index, groups) : undefined);
}

function fieldPath(raw: boolean, fields: string | undefined): string[] {
  return raw && fields !== undefined ? ['field', fields] : [];
}
