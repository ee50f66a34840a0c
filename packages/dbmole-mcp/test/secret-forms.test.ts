import { randomBytes } from 'node:crypto';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

/** What an engine can make of a password with one function of its own is removed from the answer. */
const core = randomBytes(9).toString('hex');
const secret = `Ab'${core}"c\\d<&>/é\`f`;

const everywhere = ['?', 'upper(?)', 'lower(?)', "replace(?, '\"', '\"\"')"];

const functions = {
  postgres18: [
    'initcap(?)',
    'quote_ident(?)',
    'quote_literal(?)',
    'quote_nullable(upper(?))',
    "format('%I and %L', ?::text, ?::text)",
    "encode(convert_to(?, 'UTF8'), 'escape')",
    "encode(convert_to(?, 'UTF8'), 'hex')",
    "upper(encode(convert_to(?, 'UTF8'), 'hex'))",
    "encode(convert_to(?, 'UTF8'), 'base64')",
    "convert_to(?, 'UTF8')",
    "convert_to(?, 'UTF8')::text",
    'to_json(?::text)',
    "json_build_object('a', quote_ident(?))",
    'json_build_object(upper(?), 1)',
    'xmlelement(name a, ?::text)',
    'xmlelement(name a, xmlattributes(?::text as b))',
    'xmlforest(upper(?) as b)',
    'row(?::text)',
    'array[?::text]',
  ],
  mysql97: [
    'quote(?)',
    'quote(upper(?))',
    'hex(?)',
    'lower(hex(?))',
    'to_base64(?)',
    'json_quote(?)',
    'json_array(?)',
    "json_object('a', json_array(lower(?)))",
    'cast(? as binary)',
  ],
} as const;

describe.each(['postgres18', 'mysql97'] as const)('%s', (id) => {
  const engine = useEngine(id, { shared: true });
  let tools: OpenTools;

  beforeAll(async () => {
    const account = await createAccount(engine(), `forms_${process.pid}`);
    const literal = secret.replaceAll("'", "''");
    const change =
      id === 'postgres18'
        ? `alter role ${account.user} password '${literal}'`
        : `alter user '${account.user}'@'%' identified by '${literal.replaceAll('\\', '\\\\')}'`;
    await runDirect(engine(), [change]);
    tools = await openTools([{ ...account, name: 'shop', password: secret }]);
  });
  afterAll(() => tools.close());

  it.each([...everywhere, ...functions[id]])('removes the secret in %s', async (expression) => {
    const written = id === 'postgres18' ? expression.replaceAll('?', '$1') : expression;
    const { text, isError } = await tools.call('query', { sql: `select ${written} as v`, params: [secret] });
    expect([isError, text]).toEqual([false, expect.stringContaining('[secret]')]);
    const shown = text.toLowerCase();
    expect([core, Buffer.from(core).toString('hex')].filter((form) => shown.includes(form))).toEqual([]);
  });
});
