import { describe, expect, it } from 'vitest';
import type { HubTool } from '../manifest/listing.ts';
import { formatFound, searchIn } from './search.ts';

function tool(server: string, name: string, description: string, isWithheld = false): [string, HubTool] {
  const definition = { name: `${server}__${name}`, description, inputSchema: { type: 'object', properties: { path: {} } } };
  return [definition.name, { server, name, change: undefined, isWithheld, definition }];
}

const tools = new Map([
  tool('files', 'read_text_file', 'Reads the content of a file.'),
  tool('files', 'writeFile', 'Creates a file.'),
  tool('files', 'list_allowed', 'Lists what may be used.'),
  tool('shop', 'query', 'Runs one statement that reads.\nMore of it.'),
  tool('shop', 'write_rows', 'Writes.', true),
]);

const find = (query: string, server?: string) => searchIn({ tools }, { query, server }).map((one) => one.name);

describe('searchIn', () => {
  it.each([
    ['write a file', ['writeFile', 'read_text_file']],
    ['files to read', ['read_text_file', 'writeFile', 'list_allowed', 'query']],
    ['path', ['read_text_file', 'writeFile', 'list_allowed', 'query']],
    ['a of the', ['read_text_file', 'writeFile', 'list_allowed', 'query']],
    ['qu', []],
    ['zebra', []],
  ])('finds for %s the tools %j, best first', (query, names) => {
    expect(find(query).slice(0, names.length)).toEqual(names);
    if (names.length === 0) expect(find(query)).toEqual([]);
  });

  it('searches in one server, and never shows what is withheld', () => {
    expect(find('write', 'shop')).toEqual([]);
    expect(find('read', 'shop')).toEqual(['query']);
  });

  it('shows the first line of each description', () => {
    expect(formatFound(searchIn({ tools }, { query: 'statement', server: undefined }), 5)).toBe(
      '1 tool. Next: hub_describe.\nshop__query: Runs one statement that reads.',
    );
  });
});
