import * as z from 'zod';
import type { BaseConnection } from '../../../connection.ts';
import { formatAdvice } from '../../../failure.ts';
import type { Backend } from '../../../manager/backend.ts';
import type { Manager } from '../../../manager/manager.ts';
import { defineAction, type PagePart } from '../../../program/page/page-part.ts';
import { redact } from '../../../redact/redact.ts';
import type { Registry } from '../../../registry/registry.ts';
import { formatVisible } from '../../../text.ts';
import { describeEntry } from '../../../tools/connections/connection-list.ts';
import { type ConnectionViews, viewConnection } from '../../../tools/connections/destinations.ts';

/** What each client has to be told to use the server at this URL. */
export type ListSnippets = (url: string) => Promise<readonly object[]>;

interface ConnectionsPlace<C extends BaseConnection, B extends Backend> {
  /** The name of the program, for the commands that it advises. */
  program: string;
  listSnippets: ListSnippets;
  registry: Pick<Registry<C>, 'list'>;
  manager: Pick<Manager<B>, 'status'>;
  views: ConnectionViews<C>;
}

/** The connections as `list_connections` shows them, never a secret, and what clients need to use them. Opens nothing. */
export function createConnectionsPart<C extends BaseConnection, B extends Backend>(place: ConnectionsPlace<C, B>): PagePart {
  return {
    id: 'connections',
    actions: {
      list: defineAction({ input: () => z.strictObject({}), run: async () => await listConnections(place) }),
      snippets: defineAction({
        input: () => z.strictObject({ url: z.url().max(500) }),
        run: async ({ url }) => ({ snippets: await place.listSnippets(url) }),
      }),
    },
  };
}

async function listConnections<C extends BaseConnection, B extends Backend>({
  program,
  registry,
  manager,
  views,
}: ConnectionsPlace<C, B>): Promise<object> {
  const { entries, problems } = await registry.list();
  const door = { program };
  const options = {
    publicView: (config: C) => viewConnection(views, config),
    status: (name: string) => manager.status(name),
    ...{ door, problems },
  };
  return {
    connections: entries.map((entry) => {
      const facts = Object.entries(describeEntry(entry, options)).map(([name, value]) => ({ name, text: formatFact(value) }));
      return { name: formatFact(entry.name), facts: facts.filter(({ name, text }) => name !== 'name' && text !== '') };
    }),
    problems: problems.map(({ failure }) => formatFact(`${failure.code}: ${formatAdvice(failure, door)}`)),
  };
}

function formatFact(value: unknown): string {
  return formatVisible(redact(String(value ?? '')));
}
