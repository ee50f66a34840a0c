import type { BaseConnection } from '../connection.ts';

/**
 * The policies that hold for calls on this connection: its own, and those of the same name in a person's own file that a project file
 * hides. Every one of them must allow what is done, so a project file may tighten and never loosen.
 */
export function listPolicies<C extends BaseConnection>(config: C): readonly Partial<C>[] {
  // The registry reads all of them with the schema of one server.
  return [config, ...((config.alsoHolds ?? []) as readonly Partial<C>[])];
}

/** The connection with the policies of those that it hides laid over it. Their other fields, such as passwords, are left out. */
export function withPolicies<C extends BaseConnection>(config: C, hidden: readonly C[], fields: readonly string[]): C {
  if (hidden.length === 0) return config;
  const isPolicy = ([field, value]: [string, unknown]) => fields.includes(field) && value !== undefined;
  const policies = hidden.map((one) => Object.fromEntries(Object.entries(one).filter(isPolicy)));
  const alsoHolds = policies.filter((policy) => Object.keys(policy).length > 0);
  return {
    ...config,
    readonly: config.readonly || hidden.some((one) => one.readonly),
    ...(alsoHolds.length > 0 && { alsoHolds }),
  };
}
