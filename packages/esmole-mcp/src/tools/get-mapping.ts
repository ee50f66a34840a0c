import { defineTool, respond, type Tool } from '@dbmole/core';
import * as z from 'zod';
import type { AnswerLimits } from '../answer.ts';
import { filterFields } from '../mapping/field-filter.ts';
import { groupMappings } from '../mapping/group-mappings.ts';
import { formatMapping } from '../mapping/mapping-text.ts';
import { type ClusterTools, connectionArgument, indexArgument, pathOf, timeoutArgument } from '../tool.ts';

/** Every index behind a name has a mapping of its own in the answer, though most are the same. */
const limits: AnswerLimits = {
  bytes: 16 * 1024 * 1024,
  json: { string: 16 * 1024, list: 1024 * 1024, total: 24 * 1024 * 1024 },
};

const input = z.strictObject({
  connection: connectionArgument,
  index: indexArgument,
  fields: z.string().min(1).max(2_000).optional(),
  offset: z.int().min(0).max(1_000_000).default(0),
  raw: z.boolean().default(false),
  timeout_ms: timeoutArgument,
});

export function getMappingTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_get_mapping',
    title: 'Get mapping',
    description:
      'Fields of an index or pattern as `names: type`; `+.keyword` is a multi-field. fields filters by names with *; raw gives the JSON.',
    effect: 'read',
    input,
    handler: ({ connection, index, fields, offset, raw }, context) =>
      tools.use(connection, context, async (call) => {
        const answer = await call.read({ path: pathOf(index, '_mapping', ...fieldPath(raw, fields)) }, limits);
        const notes = [
          answer.cut === undefined ? '' : 'It was too long to be read whole: name fewer indices.',
          ...call.news(answer),
        ];
        const note = notes.map((text) => (text === '' ? '' : ` ${text}`)).join('');
        if (raw) return respond.json(answer.json, { line: `The mapping as JSON.${note}`, readOn: 'Give fields with *.' });
        const { line, text } = formatMapping(filterFields(groupMappings(answer.json), fields), offset);
        return respond.text(text, { line: `${line}${note}` });
      }),
  });
}

function fieldPath(raw: boolean, fields: string | undefined): string[] {
  return raw && fields !== undefined ? ['field', fields] : [];
}
