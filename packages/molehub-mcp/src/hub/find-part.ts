import { Failure, nearestNames } from '@dbmole/core';
import type { HubPart } from '../manifest/listing.ts';

interface Wanted {
  kind: 'tool' | 'prompt';
  name: string;
  /** The tool that shows what there is. */
  see: string;
}

/** Throws for a name that nothing has, and for what is withheld. */
export function findPart<T>(parts: ReadonlyMap<string, HubPart<T>>, { kind, name, see }: Wanted): HubPart<T> {
  const part = parts.get(name);
  if (part === undefined) {
    throw new Failure('unknown', `no ${kind} is called ${JSON.stringify(name.slice(0, 100))}`, {
      nearest: nearestNames(name, [...parts.keys()]),
      hint: { call: see, to: 'see what there is' },
    });
  }
  if (!part.isWithheld) return part;
  const what = part.change === 'new' ? 'is new' : 'has changed';
  throw new Failure('refused', `${name} ${what} since the ${kind}s of server "${part.server}" were accepted, and is withheld`, {
    code: 'E_TOOL_CHANGED',
    hint: {
      tool: `Ask the user to run \`molehub-mcp accept ${part.server}\`.`,
      run: `accept ${part.server}`,
      to: 'see and accept it',
    },
  });
}
