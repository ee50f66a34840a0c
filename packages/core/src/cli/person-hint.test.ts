import { expect, it } from 'vitest';
import { Failure } from '../failure.ts';
import { unknownName } from '../registry/lookup.ts';
import { formatPersonAdvice, personHintOf } from './person-hint.ts';

it.each([
  ['Correct these keys and call again.', 'Correct these keys and run it again.'],
  ['Call again later.', 'Run it again later.'],
  ['There are list_connections, query.', 'There are list_connections, query.'],
  ['Check user and password.', 'Check user and password.'],
])('a hint for tools, %j, fits a person', (hint, shown) => {
  expect(personHintOf(new Failure('input', 'x', { hint }), 'thing-mcp')).toBe(shown);
});

it.each([
  ['`connections list` shows the names.', '`thing-mcp connections list` shows the names.'],
  ['Ask with `query NAME …`, or see `doctor`.', 'Ask with `thing-mcp query NAME …`, or see `thing-mcp doctor`.'],
  ['The connection `allowed` is there.', 'The connection `allowed` is there.'],
])('a hint for a person, %j, comes before it, with commands as one types them', (personHint, shown) => {
  const failure = new Failure('input', 'x', { hint: 'Call some_tool.', personHint });
  expect(personHintOf(failure, 'thing-mcp')).toBe(shown);
  expect(formatPersonAdvice(failure, 'thing-mcp')).toBe(`x. ${shown}`);
});

it('names no tool to a person who names no connection', () => {
  expect(personHintOf(unknownName('zzz', ['main']), 'thing-mcp')).toBe('`thing-mcp connections list` shows the names.');
});
