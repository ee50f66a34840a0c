import { askUser, Failure, type Fields, isFields } from '@dbmole/core';
import { parseHubUri, type ServerUri, toHubUri } from '../manifest/resource-uris.ts';
import type { HubCaller, ServerCall } from '../server/caller.ts';
import { isUnknownMethod } from '../server/direct-requests.ts';
import type { PassedMethod } from '../session/hub-door.ts';
import type { Hub } from './hub.ts';

interface Target {
  server: string;
  params: Fields;
  what: string;
}

const targets: Record<PassedMethod, (hub: Hub, params: Fields) => Target> = {
  'prompts/get': (hub, { name, ...rest }) => {
    const found = hub.findPrompt(readText('name', name));
    return { server: found.server, params: { name: found.name, ...rest }, what: found.name };
  },
  'resources/read': (hub, { uri, ...rest }) => {
    const found = findResource(hub, readText('uri', uri));
    return { server: found.server, params: { uri: found.uri, ...rest }, what: found.uri };
  },
  'completion/complete': (hub, { ref, ...rest }) => {
    const given: Fields = isFields(ref) ? ref : {};
    const { server, ref: own } = given.type === 'ref/prompt' ? findPromptRef(hub, given) : findTemplateRef(hub, given);
    return { server, params: { ref: own, ...rest }, what: 'the completion' };
  },
};

/** Sends a request to the server that it belongs to. */
export async function passRequest(
  hub: Hub,
  request: { method: PassedMethod; params: Fields },
  caller: HubCaller,
): Promise<Fields> {
  const { method, params } = request;
  const { _meta: _own, ...asked } = params;
  const target = targets[method](hub, asked);
  const call: ServerCall = { method, params: target.params, what: target.what };
  try {
    return await hub.request(target.server, call, caller);
  } catch (error) {
    // The hub says that it completes, because some servers do.
    if (method === 'completion/complete' && isUnknownMethod(error)) return { completion: { values: [] } };
    throw error;
  }
}

function findPromptRef(hub: Hub, { name, ...rest }: Fields): { server: string; ref: Fields } {
  const found = hub.findPrompt(readText('ref.name', name));
  return { server: found.server, ref: { ...rest, name: found.name } };
}

function findTemplateRef(hub: Hub, { uri, ...rest }: Fields): { server: string; ref: Fields } {
  const found = findResource(hub, readText('ref.uri', uri));
  return { server: found.server, ref: { ...rest, uri: found.uri } };
}

/** Finds a resource by the URI of the hub, or by one that exactly one server may have: servers also mention their URIs in texts. */
function findResource(hub: Hub, uri: string): ServerUri {
  const known = hub.enabled.filter(({ entry }) => entry?.resources);
  const parsed = parseHubUri(uri);
  if (parsed !== undefined && known.some(({ name }) => name === parsed.server)) return parsed;
  const listing = known.filter((server) => {
    const { resources = [], templates = [] } = hub.manifestFor(server) ?? {};
    return resources.some((one) => one.uri === uri) || templates.some((one) => mayBelong(uri, one.uriTemplate));
  });
  const [only] = listing;
  if (only !== undefined && listing.length === 1) return { server: only.name, uri };
  const shown = JSON.stringify(uri.slice(0, 200));
  const hint = askUser('take a URI from the list of resources');
  if (only === undefined) throw new Failure('unknown', `no server has the resource ${shown}`, { hint });
  const uris = listing.map(({ name }) => toHubUri(name, uri)).join(' or ');
  throw new Failure('input', `several servers have the resource ${shown}: read ${uris}`);
}

/** Whether the URI begins with what is fixed in the template, or is the template itself. */
function mayBelong(uri: string, template: string): boolean {
  const [fixed = ''] = template.split('{');
  return uri === template || (fixed !== '' && uri.startsWith(fixed));
}

function readText(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Failure('input', `invalid "${field}": expected a string`);
}
