import { respond, type ToolReply } from '@dbmole/core';
import { type AnswerLimits, textBytes } from '../answer.ts';
import { type Call, pathOf } from '../call.ts';
import type { GetMappingArgs } from '../tools/get-mapping.ts';
import { filterFields } from './field-filter.ts';
import { groupMappings } from './group-mappings.ts';
import { formatMapping } from './mapping-text.ts';

/** Every index behind a name has a mapping of its own in the answer, though most are the same. */
const limits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 16 * 1024, list: 1024 * 1024, total: 64 * 1024 * 1024 },
};

export async function getMapping(call: Call, { index, fields, offset, raw }: GetMappingArgs): Promise<ToolReply> {
  const answer = await call.read({ path: pathOf(index, '_mapping', ...fieldPath(raw, fields)) }, limits);
  const notes = [answer.isPartial ? 'It was too long to be read whole: name fewer indices.' : '', ...call.news(answer)];
  const note = notes.map((text) => (text === '' ? '' : ` ${text}`)).join('');
  if (raw) return respond.json(answer.json, { line: `The mapping as JSON.${note}`, readOn: 'Give fields with *.' });
  const { line, text } = formatMapping(filterFields(groupMappings(answer.json), fields), offset);
  return respond.text(text, { line: `${line}${note}` });
}

function fieldPath(raw: boolean, fields: string | undefined): string[] {
  return raw && fields !== undefined ? ['field', fields] : [];
}
