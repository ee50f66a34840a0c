import * as z from 'zod';
import { connectionName } from '../connection.ts';

const port = z.int().min(1).max(65535);

/**
 * What a tool may say of a connection: literals only. A reference in the hands of a model is a way to read the machine's
 * secrets, and a host key that a model accepted was accepted by nobody; both are for files that a person writes.
 */
export const toolConnectionShape = {
  name: connectionName,
  host: z.string().min(1),
  port: port.optional(),
  user: z.string().min(1),
  password: z.string().optional(),
  readonly: z.boolean().optional(),
  ssh: z
    .union([
      z.string().min(1),
      z.strictObject({
        host: z.string().min(1),
        port: port.optional(),
        user: z.string().min(1).optional(),
        password: z.string().optional(),
      }),
    ])
    .optional()
    .describe('bastion: a host of ~/.ssh/config, or its fields'),
};

type Patch<Shape extends z.ZodRawShape> = { [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<z.ZodType>> };

/** The same fields for a change: all may be left out, and null removes what may be absent. `name` says which connection. */
export function patchShapeOf<Shape extends z.ZodRawShape>(
  shape: Shape,
): { name: typeof connectionName } & Omit<Patch<Shape>, 'name'> {
  const fields = Object.entries(shape)
    .filter(([key]) => key !== 'name')
    .map(([key, field]) => [key, patchField(field)]);
  // Object.fromEntries forgets the keys; they are those of `shape`.
  return { name: connectionName, ...(Object.fromEntries(fields) as Omit<Patch<Shape>, 'name'>) };
}

/** A field that a connection must have cannot be removed, so null is not offered for it. */
function patchField(field: z.core.$ZodType): z.ZodType {
  // A raw shape is typed with zod's smallest interface; every schema we write has the full one.
  const schema = field as z.ZodType;
  if (!(schema instanceof z.ZodOptional)) return schema.optional();
  const patch = z.nullable(schema.unwrap()).optional();
  return schema.description === undefined ? patch : patch.describe(schema.description);
}
