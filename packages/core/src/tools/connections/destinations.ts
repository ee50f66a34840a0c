import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Destination } from '../../manager/backend.ts';
import type { Entry } from '../../registry/registry.ts';
import { cutVisible, formatVisible } from '../../text.ts';
import { formatWay } from './route-text.ts';

/** What may be shown of a connection, in the order it is shown. Never a secret. */
export type PublicView = Readonly<Record<string, string | number | boolean | undefined>>;

/** How a server shows its connections. */
export interface ConnectionViews<C extends BaseConnection> {
  publicView(config: C): PublicView;
  /** What a person allows on it, in a few words; nothing where everything is allowed. */
  policyView?(config: C): PublicView;
  /** The columns or fields that are protected, in full. */
  columnRules?(config: C): readonly string[];
}

/** What lists show of a connection, and by which a change of it is noticed. */
export function viewConnection<C extends BaseConnection>(views: ConnectionViews<C>, config: C): PublicView {
  return { ...views.publicView(config), ...viewPolicy(views, config) };
}

export function viewPolicy<C extends BaseConnection>({ policyView }: ConnectionViews<C>, config: C): PublicView {
  return { environment: config.environment, ...policyView?.(config) };
}

/** One call, from its arrival to its answer. */
export interface Visit {
  /** `asked` is the name in the call. Throws when the call may write and its caller does not know yet that the name leads elsewhere. */
  enter(asked: string | undefined, destination: Destination): void;
  /** What the answer must begin with. From then on the caller knows. */
  notice(): string | undefined;
  /** Whether the connection may only be read; false while it is not known. */
  isReadonly(): boolean;
}

interface Known {
  facts: Destination['facts'];
  /** The previous destination, and when callers were notified of the change. */
  before?: Destination['facts'];
  toldAt: number;
}

const maxFactLength = 120;
/** A call that names no connection. */
const omitted = '';

/**
 * Where each name led when a caller was last notified. A file that is edited, or a variable that changes, can make a name lead to another
 * database in the middle of a conversation; a caller must not go on as if it were the same one.
 */
export class Destinations {
  readonly #known = new Map<string, Known>();
  #time = 0;

  /** The caller has seen this destination, or changed it itself. */
  tell({ name, facts }: Destination): void {
    this.#known.set(name, { facts, toldAt: 0 });
    if (this.#known.get(omitted)?.facts.name === name) this.#known.set(omitted, { facts, toldAt: 0 });
  }

  /** In a list, where a change would be overlooked. */
  show(destination: Destination): void {
    if (!this.#known.has(destination.name)) this.tell(destination);
  }

  begin({ mayWrite }: { mayWrite: boolean }): Visit {
    const began = this.#time;
    let untold: { text: string; tell(): void } | undefined;
    let isReadonly = false;
    const notice = () => {
      const text = untold?.text;
      untold?.tell();
      untold = undefined;
      return text;
    };
    return {
      notice,
      isReadonly: () => isReadonly,
      enter: (asked, destination) => {
        isReadonly = destination.readonly;
        const keys = asked === undefined ? [destination.name, omitted] : [destination.name];
        const changes = keys.flatMap((key) => this.#findChange(key, destination, began) ?? []);
        const [change] = changes;
        untold = change === undefined ? undefined : { text: change, tell: () => this.#markTold(keys, destination) };
        if (change === undefined || !mayWrite || destination.readonly) return;
        notice();
        throw new Failure('refused', `${change}; nothing was sent`, {
          code: 'E_CONNECTION_CHANGED',
          hint: 'Check that the change belongs there, then repeat the call.',
        });
      },
    };
  }

  /** A call that was running while another one was notified does not know of the change. */
  #findChange(key: string, { name, facts }: Destination, began: number): string | undefined {
    const known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, { facts, toldAt: 0 });
    if (known === undefined) return undefined;
    const before = known.toldAt > began ? (known.before ?? known.facts) : known.facts;
    if (before === facts) return undefined;
    const changed = [...new Set([...Object.keys(before), ...Object.keys(facts)])].filter((key) => before[key] !== facts[key]);
    if (changed.length === 0) return undefined;
    const texts = changed.map((key) => `${key} ${formatFact(facts[key])} (was ${formatFact(before[key])})`);
    const subject = key === omitted ? 'the only connection' : `connection "${name}"`;
    return `${subject} has changed since it was last used: ${texts.join(', ')}`;
  }

  #markTold(keys: readonly string[], { facts }: Destination): void {
    this.#time += 1;
    for (const key of keys) {
      const before = this.#known.get(key)?.facts;
      this.#known.set(key, { facts, toldAt: this.#time, ...(before && { before }) });
    }
  }
}

/** Keyed by entry; a changed entry is another object. */
const described = new WeakMap<object, Destination>();

export function describeDestination<C extends BaseConnection>(
  entry: Entry<C> & { config: C },
  publicView: (config: C) => PublicView,
): Destination {
  const destination = described.get(entry) ?? describeNow(entry, publicView);
  described.set(entry, destination);
  return destination;
}

function describeNow<C extends BaseConnection>(
  { name, config, origin }: Entry<C> & { config: C },
  publicView: (config: C) => PublicView,
): Destination {
  const facts = {
    name,
    ...publicView(config),
    via: config.ssh === undefined ? undefined : formatWay(config.ssh, undefined),
    from: `${origin.kind} ${origin.where}`,
  };
  return { name, readonly: config.readonly, facts: Object.fromEntries(Object.entries(facts).flatMap(textOfFact)) };
}

function textOfFact([key, value]: readonly [string, unknown]): (readonly [string, string])[] {
  return value === undefined || value === '' ? [] : [[key, String(value)]];
}

function formatFact(text = 'none'): string {
  return cutVisible(formatVisible(text), maxFactLength);
}
