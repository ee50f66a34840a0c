import type { SecretRef } from '../connection.ts';
import type { Environment } from './expand.ts';
import type { Fields } from './tree.ts';

/** Where an importer looks. */
export interface ImportPlace {
  env: Environment;
  cwd: string;
  home: string;
}

/** A connection that another program's file, or a variable, knows of. */
export interface FoundConnection {
  /** A proposal: whoever adds it makes it a name, and one that is free. */
  name: string;
  /** What stood there, as it stood there: text that nobody follows or expands. */
  fields: Fields;
  /** What the importer itself says of it: references, and a URL that is a variable. */
  references: Fields & { password?: SecretRef };
  /** As the leaf's `publicView` shows a connection of this kind. */
  shown: Readonly<Record<string, unknown>>;
  /** For the person: where the password is, and stays unless `copies` is set. */
  password: string;
  /** `fields` hold a secret, which would be copied into the store. */
  copies?: boolean;
}

export interface Findings {
  found: readonly FoundConnection[];
  /** What was seen and cannot be taken over, and why; without a secret in it. */
  notes: readonly string[];
}

/** One place where other programs keep connections. */
export interface Importer {
  /** What a person calls it: the name of the file. */
  source: string;
  find(place: ImportPlace): Findings;
}
