import type { HubCaller } from '../server/caller.ts';
import type { Fields, ToolDefinition } from './json.ts';

/** The lists, under the key of each in its answer. */
export interface ShownLists {
  tools: readonly ToolDefinition[];
  prompts: readonly Fields[];
  resources: readonly Fields[];
  resourceTemplates: readonly Fields[];
}

/** What is listed. */
export interface Offer {
  shown: ShownLists;
  instructions: string;
}

/** What clients are told of: templates belong to the resources. */
export type ListName = 'tools' | 'prompts' | 'resources';

/** The methods of the lists. */
export const listMethods = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const satisfies Record<string, keyof ShownLists>;

/** Requests beside the calls of tools that a server answers. */
export const passedMethods = ['prompts/get', 'resources/read', 'completion/complete'] as const;

export type PassedMethod = (typeof passedMethods)[number];

/** What the hub says that it can, whatever its servers can: they come and go while it runs. */
export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true },
  completions: {},
};

export interface OpenHub {
  /** What is offered now. */
  offer(): Offer;
  /** Failures of the hub are results; what a server throws as an error of the protocol is an `RpcError`. */
  call(name: string, args: Fields, caller: HubCaller): Promise<Fields>;
  /** Failures of the hub are errors of the protocol here. */
  request(method: PassedMethod, params: Fields, caller: HubCaller): Promise<Fields>;
  onListChanged(listener: (lists: readonly ListName[]) => void): () => void;
  /** The session is over. */
  leave(session: string): void;
}

/** The hub behind a session. It is opened when something is asked that the remembered list does not answer. */
export interface HubDoor {
  /** What a hub would offer, when nothing that it depends on has changed since the last one. */
  remembered(): Offer | undefined;
  open(): Promise<OpenHub>;
}
