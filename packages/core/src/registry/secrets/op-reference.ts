import { type SecretField, secretPlacesIn } from '../schema-fields.ts';
import { type Fields, replaceAt, valueAt } from '../tree.ts';

/** How 1Password's own programs write where a secret is: `op://vault/item/field`. */
export function isOpReference(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('op://');
}

/**
 * The connection with such references as the commands they stand for. Only for what a person is known to have written: a text
 * may come from anyone, and choosing both the reference and the host reveals the secret.
 */
export function withOpCommands(raw: Fields, fields: readonly SecretField[]): Fields {
  let result = raw;
  for (const { path } of secretPlacesIn(raw, fields)) {
    const value = valueAt(raw, path);
    if (isOpReference(value)) result = replaceAt(result, path, { command: ['op', 'read', '--no-newline', value] });
  }
  return result;
}
