import { expect, it } from 'vitest';
import { formatPersonHint } from './person-hint.ts';

it.each([
  ['Call list_connections to see the names.', 'Run `thing-mcp connections list` to see the names.'],
  [
    'Choose another name, or call update_connection.',
    'Choose another name, or run `thing-mcp connections update NAME KEY=VALUE`.',
  ],
  ['Add one with add_connection.', 'Add one with `thing-mcp connections add NAME URL`.'],
  ['Correct these keys and call again.', 'Correct these keys and run it again.'],
  ['Call again later.', 'Run it again later.'],
  ['There are list_connections, query.', 'There are list_connections, query.'],
  ['Check user and password.', 'Check user and password.'],
])('a hint for tools, %j, names commands for a person', (hint, shown) => {
  expect(formatPersonHint(hint, 'thing-mcp')).toBe(shown);
});
