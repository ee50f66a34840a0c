import type { SecretRef } from '../../connection.ts';
import type { Environment } from '../secrets/expand.ts';
import type { Fields } from '../tree.ts';

/** Where an importer looks. */
export interface ImportPlace {
  env: Environment;
  cwd: string;
  home: string;
  /** A file that a person named, for an importer that takes one. */
  path?: string;
}

/** A connection that another program's file, or a variable, knows of. */
export interface FoundConnection {
  /** A proposal: the importer turns it into a valid name that is free. */
  name: string;
  /** The original text, neither followed nor expanded. */
  fields: Fields;
  /** What the importer itself says of it: references, and a URL that is a variable. */
  references: Fields & { password?: SecretRef };
  /** The fields as the server's `publicView` shows them. */
  shown: Readonly<Record<string, unknown>>;
  /** Tells the person where the password is, and stays unless `copies` is set. */
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
  /** Any file of this kind can be named instead. */
  takesPath?: boolean;
  find(place: ImportPlace): Findings;
}
