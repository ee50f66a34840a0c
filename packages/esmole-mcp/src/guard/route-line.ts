import type { BodyKind } from './body/body.ts';
import type { Where } from './route-versions.ts';

/**
 * What a request tells of indices:
 * - `documents`: what is in them. Hidden ones are left out.
 * - `descriptions`: that they exist, and how they are made.
 * - `everywhere`: something of all of them, which a list of allowed indices cannot narrow. Refused where there is such a list.
 * - `nothing`: nothing.
 */
type Tells = 'documents' | 'descriptions' | 'everywhere' | 'nothing';

export interface Line {
  /** Methods and a path; brackets contain an optional part. */
  readonly allow: string;
  readonly tells: Tells;
  /** The parameters it may take, beside those that format the answer. */
  readonly params?: string;
  /** How its body is checked; without one, it has none. */
  readonly body?: BodyKind;
  /** The versions that have the route; all when left out. On other versions the same path may lead to a route that writes. */
  readonly where?: Where;
  /** Unlike the others, it wants each pattern to find something. */
  readonly isStrict?: true;
  /** Parameters that make it describe all indices. */
  readonly telling?: string;
  /** Excluded by `filter_path`: other clients' requests unless everything may be read, and names where some indices are allowed. */
  readonly hides?: { readonly requests: readonly string[]; readonly names: readonly string[] };
  /** Parameters that are sent where the caller leaves them out, because the default of the cluster is not a read. */
  readonly adds?: Readonly<Record<string, string>>;
  /** The part of the answer that may hold secrets: shown only if a person allows it, or if it can be overwritten anyway. */
  readonly sensitive?: string;
  /** Tells no more than names, states and sizes, so that it may list hidden indices as well. */
  readonly mayListHidden?: true;
}
