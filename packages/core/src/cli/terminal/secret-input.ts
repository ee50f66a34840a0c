import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { listSecretFields } from '../../registry/schema-fields.ts';
import type { CommandCall } from '../command.ts';

/** The fields that a person can be asked for; a whole URL is typed as one of the words. */
export function promptedFields(schema: Parameters<typeof listSecretFields>[0]): readonly string[] {
  return listSecretFields(schema).flatMap(({ pattern: [field = '', ...rest] }) =>
    rest.length > 0 || field === 'url' ? [] : field,
  );
}

/** From the terminal without showing it, or from a pipe; undefined when neither is there. */
export async function readSecret<C extends BaseConnection, B extends Backend>(
  question: string,
  { terminal, options }: Pick<CommandCall<C, B>, 'terminal' | 'options'>,
): Promise<string | undefined> {
  if (!options['password-stdin']) return await terminal.askSecret(question);
  const text = (await terminal.readInput())?.replace(/\r?\n$/, '');
  if (text) return text;
  throw new Failure('input', '--password-stdin needs input from a pipe', {
    hint: 'Pipe it: `printf %s "$PASSWORD" | …`.',
  });
}

export async function requireSecret<C extends BaseConnection, B extends Backend>(
  field: string,
  call: Pick<CommandCall<C, B>, 'terminal' | 'options'>,
): Promise<string> {
  const typed = await readSecret(`New ${field}: `, call);
  if (typed) return typed;
  throw new Failure(
    'input',
    typed === '' ? `the ${field} is empty` : `cannot prompt for the ${field}: standard input is not a terminal`,
    {
      hint: typed === '' ? `To remove it, write ${field}= instead.` : 'Pipe it in with --password-stdin.',
    },
  );
}
