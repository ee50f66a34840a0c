import * as z from 'zod';
import { connectionName, portNumber } from '../../connection.ts';
import { accepted, objectElsewhere } from '../compact-schema.ts';

/**
 * What a tool may say of a connection: literals only. A reference in the hands of a model is a way to read the machine's
 * secrets, and a host key that a model accepts proves nothing; both belong in files that a person writes.
 */
export const toolConnectionShape = {
  name: connectionName,
  host: z.string().min(1),
  port: portNumber.optional(),
  user: z.string().min(1),
  password: z.string().optional(),
  readonly: z.boolean().optional(),
  ssh: z
    .union([
      z.string().min(1),
      z.strictObject({
        host: z.string().min(1),
        port: portNumber.optional(),
        user: z.string().min(1).optional(),
        password: z.string().optional(),
      }),
    ])
    .optional()
    .describe('bastion: a host of ~/.ssh/config, or fields'),
};

/**
 * The same fields for a change: all may be left out, and null removes what may be absent. `name` says which connection. They are shown
 * as one object, as the tool that adds connections documents each, and are accepted beside it as well.
 */
export function toPatchSchema(schema: z.ZodObject): z.ZodObject {
  const { name: _which, ...fields } = schema.shape;
  const patch = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, patchField(field)]));
  const beside = Object.fromEntries(Object.entries(patch).map(([key, field]) => [key, field.meta(accepted)]));
  return z.strictObject({ name: connectionName, set: z.strictObject(patch).optional().meta(objectElsewhere), ...beside });
}

/** A field that a connection must have cannot be removed, so null is not accepted for it. */
function patchField(field: z.core.$ZodType): z.ZodType {
  // A raw shape is typed with zod's smallest interface; every schema we write has the full one.
  const schema = field as z.ZodType;
  return schema instanceof z.ZodOptional ? z.nullable(schema.unwrap()).optional() : schema.optional();
}
