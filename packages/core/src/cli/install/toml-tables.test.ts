import { describe, expect, it } from 'vitest';
import { parseTomlTables } from './toml-tables.ts';

describe('parseTomlTables', () => {
  it('reads tables with strings, lists, inline tables and comments', () => {
    const text = `model = "x" # y
[mcp_servers.one]
command = 'np\\x'
args = [
  "-y", # why
  "a\\u00e4\\n",
]
env = { A = "1", "b-c" = '2' }
startup_timeout_sec = 1_000
enabled = false

[mcp_servers."two words".env]
LONG = """
first
second"""
[[others]]
command = "not one"
[mcp_servers.three]
when = 2026-01-01T00:00:00Z
url = "https://h"
`;
    expect(parseTomlTables(text)).toEqual({
      model: 'x',
      mcp_servers: {
        one: { command: 'np\\x', args: ['-y', 'aä\n'], env: { A: '1', 'b-c': '2' }, startup_timeout_sec: 1_000, enabled: false },
        'two words': { env: { LONG: 'first\nsecond' } },
        three: { when: 2026, url: 'https://h' },
      },
    });
  });

  it.each([
    '[a\nb = 1\n',
    'a = [1, 2\nb = 1',
    '= 1\n',
    '[[',
    'a.b = { c = 1',
    '__proto__.x = 1\n[__proto__]\ny = 1\n',
    'a = 1\n[a.b]\nc = 2\n',
  ])('ends on %j, and changes no other object', (text) => {
    expect(parseTomlTables(text)).toBeTypeOf('object');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
