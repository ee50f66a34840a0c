import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../steps.ts';
import { leaves, type ShownLeaf } from './leaves.ts';

interface Property {
  type?: string | readonly string[];
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  items?: Property;
  anyOf?: readonly Property[];
  const?: unknown;
}

interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: { properties?: Readonly<Record<string, Property>>; required?: readonly string[] };
  annotations: Readonly<Record<string, boolean>>;
  _meta?: Readonly<Record<string, unknown>>;
}

export function toolsPage(): string {
  const sections = leaves.map((leaf) => `## ${leaf.name}\n\n${definitionsOf(leaf).map(formatTool).join('\n')}`);
  return `# Tools

What a client learns about each tool, and nothing else: a model sees these descriptions and arguments. Arguments are optional unless they are marked as
required. \`--tools\` offers only some of the tools, \`--readonly\` none that write.

These arguments mean the same everywhere: \`connection\` names a connection and may be omitted if there is only one; \`timeout_ms\` limits the duration of
the call; \`offset\`, \`cell_offset\`, \`agg_offset\`, \`cursor\` and their limits continue where an answer was cut, with the values from its first line.

The first line of an answer is ours, and everything after it is data. Rows are CSV, one line each: a line break inside a cell is
written \`⟦U+000A⟧\`, and invisible characters are shown the same way. A result of one cell is plain text where CSV would have to quote it: its name on a line, then
the cell to the end of the answer. A single row has \`⟦below⟧\` for its cell of several lines, and after the row that cell to the end of the answer.
The first line says so, and states once if line breaks are CRLF. A result without rows is just \`No rows.\`
The bracket \`⟦\` is always ours; one in the data is written \`⟦U+27E6⟧\`.

${sections.join('\n')}`;
}

/** The table for a README. */
export function toolTable(shown: readonly ShownLeaf[], page: string): string {
  const rows = shown.flatMap(definitionsOf).map(({ name, description }) => `| \`${name}\` | ${cell(description)} |`);
  return `| tool | description shown to the model |\n|---|---|\n${rows.join('\n')}\n\nArguments: [tools](${page}).`;
}

/** Reads the files that a review sees; those over the connections come last, as in the list that a client gets. */
export function definitionsOf({ name }: Pick<ShownLeaf, 'name'>): ToolDefinition[] {
  const folder = join(root, 'packages', name, 'test', 'tool-definitions');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  // A test writes these files from what the server answers.
  const definitions = files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ToolDefinition);
  const rank = (tool: ToolDefinition) => `${/_connections?$/.test(tool.name) ? 1 : 0} ${tool.name}`;
  return definitions.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function formatTool({ name, description, inputSchema, annotations, _meta }: ToolDefinition): string {
  const required = inputSchema.required ?? [];
  const rows = Object.entries(inputSchema.properties ?? {}).map(([argument, property]) => {
    const value = required.includes(argument) ? 'required' : property.default === undefined ? '' : formatCode(property.default);
    return `| \`${argument}\` | ${cell(describeType(property))} | ${value} | ${cell(property.description ?? '')} |`;
  });
  const table =
    rows.length === 0 ? 'No arguments.' : `| argument | type | default | what |\n|---|---|---|---|\n${rows.join('\n')}`;
  return `### ${name}\n\n${description}\n\n${table}\n\n${formatHints(annotations, _meta)}\n`;
}

function describeType({ type, enum: values, items, anyOf, const: only }: Property): string {
  if (values !== undefined) return values.map(formatCode).join(', ');
  if (only !== undefined) return formatCode(only);
  if (anyOf !== undefined) return anyOf.map(describeType).join(' or ');
  if (type === 'array')
    return items === undefined || describeType(items) === 'anything' ? 'list' : `list of ${describeType(items)}`;
  if (type === undefined) return 'anything';
  return typeof type === 'string' ? type : type.join(' or ');
}

/** The hints of the protocol, which clients use to decide whether they ask; none of them protects anything. */
function formatHints(annotations: Readonly<Record<string, boolean>>, meta: Readonly<Record<string, unknown>> = {}): string {
  const given = Object.entries(annotations).map(([hint, value]) => `\`${hint}\`: ${value}`);
  const asks = meta['anthropic/requiresUserInteraction'] === true ? ' Claude Code asks a person at every call.' : '';
  return `Hints: ${given.join(', ')}.${asks}`;
}

function formatCode(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
