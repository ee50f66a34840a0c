import { Failure, type Fields } from '@dbmole/core';
import { Client, ProtocolError, type Transport } from '@modelcontextprotocol/client';
import type { Offers, Seen } from '../manifest/manifest.ts';
import { program } from '../options.ts';
import type { OpenOptions } from './connection.ts';

export type { Transport };

const clientInfo = { name: program.name, version: program.version };

/** Nothing here checks what a tool answers: that is for the client behind the hub. */
const jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('the hub validates no results');
  },
};

const maxProbeMs = 10_000;

export function createClient(era: OpenOptions['era'], { startMs, events }: OpenOptions): Client {
  const onChanged = { autoRefresh: false, debounceMs: 0, onChanged: () => events.onListChanged() };
  const client = new Client(clientInfo, {
    // A form can be shown by most clients; where one cannot, the server gets an error that says so.
    capabilities: { elicitation: { form: {} } },
    jsonSchemaValidator,
    versionNegotiation: {
      mode: era === 'legacy' ? 'legacy' : 'auto',
      probe: { timeoutMs: Math.min(maxProbeMs, Math.ceil(startMs / 3)) },
    },
    listChanged: { tools: onChanged, prompts: onChanged, resources: onChanged },
  });
  client.setRequestHandler('elicitation/create', async (request, context) => {
    try {
      // The form and its answer are for the two ends to check; the hub only passes them on.
      return (await events.elicit(request.params as Fields, context.mcpReq.signal)) as {
        action: 'accept' | 'decline' | 'cancel';
      };
    } catch (error) {
      throw new ProtocolError(-32_603, error instanceof Error ? error.message : String(error));
    }
  });
  return client;
}

const maxNameLength = 100;
const maxInstructionsLength = 20_000;

export function readIdentity(client: Client): Omit<Seen, keyof Offers> {
  const { name, version } = client.getServerVersion() ?? { name: undefined, version: undefined };
  return {
    name: name?.slice(0, maxNameLength),
    version: version?.slice(0, maxNameLength),
    era: client.getProtocolEra() ?? 'legacy',
    instructions: client.getInstructions()?.slice(0, maxInstructionsLength),
  };
}

export function readCapabilities(client: Client): Fields {
  return { ...client.getServerCapabilities() };
}

/** What every request of the newer era carries; the capabilities are those of the client that calls. */
export function envelope(client: Client, capabilities: Fields = {}): Fields {
  return {
    'io.modelcontextprotocol/protocolVersion': client.getNegotiatedProtocolVersion(),
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

const readLog = { call: 'hub_status', to: 'see its log and its last error', cli: 'Read its log.' };

interface StartDetails {
  cause: unknown;
  /** Where its log says nothing. */
  advice?: string | undefined;
}

export function startFailure(name: string, what: string, { cause, advice }: StartDetails): Failure {
  return new Failure('connection', `server "${name}" ${what}`, {
    code: 'E_SERVER_START',
    hint: [advice ?? readLog, 'The other servers are not affected.'],
    cause,
  });
}
