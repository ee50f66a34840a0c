// What a program sees of the library. The build copies this file into the published types, so it imports nothing.

/** A server inside this process. */
export interface Mole {
  /** The tools that this server offers, as a client sees them. */
  readonly tools: readonly MoleTool[];
  /**
   * Calls a tool. Whatever fails in it is an answer with `isError`, with the code and the next step in `structuredContent`.
   * Rejects only when there is no such tool.
   */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: MoleCallOptions): Promise<MoleReply>;
  /** Serves a client over a transport of the MCP SDK, in either era of the protocol. All clients share pools and tunnels. */
  connect(transport: MoleTransport): Promise<MoleClient>;
  /** Stops running calls and closes everything that is open. Calls after it are answered with E_SHUTTING_DOWN. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** One client that was connected; `close` ends its connection alone. */
export interface MoleClient {
  close(): Promise<void>;
}

export interface MoleTool {
  name: string;
  title?: string;
  /** The description is written for a model. */
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: MoleInputSchema;
  annotations: MoleToolAnnotations;
  _meta?: Record<string, unknown>;
}

export interface MoleInputSchema {
  type: 'object';
  properties?: Record<string, object>;
  required?: string[];
  additionalProperties?: boolean;
}

/** What a tool does to the world, where that is not what the protocol takes for granted. */
export interface MoleToolAnnotations {
  readOnlyHint: boolean;
  /** Left out of a tool that only reads. */
  destructiveHint?: boolean;
  /** False for a tool that reaches no database. */
  openWorldHint?: boolean;
}

export interface MoleCallOptions {
  /** Aborting it stops the statement or request on the server. */
  signal?: AbortSignal | undefined;
  /** Gets the question where a policy wants a person to confirm the call, as `onApproval` of the server does. */
  onApproval?: MoleApproval | undefined;
  /** Is called a few times a second at most; a call that reports nothing by itself reports every five seconds. */
  onProgress?: ((progress: MoleProgress) => void) | undefined;
}

/**
 * Shows the question to a person and resolves with true if they confirm it. Only true counts; without the function, such a call is refused
 * with `E_APPROVAL_NEEDED`.
 */
export type MoleApproval = (question: MoleQuestion) => Promise<boolean> | boolean;

export interface MoleQuestion {
  /** What would be changed, in plain text of several lines. It has rows of the database in it. */
  message: string;
  /** Aborted when the call is. */
  signal: AbortSignal;
}

export interface MoleProgress {
  /** Grows with each report. */
  progress: number;
  /** The value of `progress` at the end, where it is known. */
  total?: number;
  message?: string;
}

export interface MoleReply {
  content: MoleText[];
  /** The code, message and next step of an error. */
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface MoleText {
  type: 'text';
  text: string;
}

/** The part of the SDK's `Transport` that is used, so that neither version of the SDK is needed for these types. */
export interface MoleTransport {
  start(): Promise<void>;
  send(message: object, options?: object): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: MoleMessageHandler | undefined;
}

/** A handler of more specific messages fits as well, which holds for methods alone. */
export type MoleMessageHandler = { handle(message: object, extra?: object): void }['handle'];

/** A server of which `connections` or `fromConfiguration` is given, or both. */
export interface MoleOptions<Connection> {
  /** The connections, written as in a configuration file. Without `fromConfiguration` there are no others, and no tool changes them. */
  connections?: readonly Connection[] | undefined;
  /**
   * Adds the connections that the program of the same name would use: the user's file, the project file in or above `cwd`, and the
   * environment, with its other variables. False by default.
   */
  fromConfiguration?: boolean | undefined;
  /** Treats every connection as read-only and leaves out tools that change data. */
  readonly?: boolean | undefined;
  /** The tools to offer: names, `read` for all that only read, and `-NAME` to leave one out. */
  tools?: string | readonly string[] | undefined;
  /** The default time limit of a call: milliseconds, or a text such as `30s`. 30 seconds by default. */
  timeout?: number | string | undefined;
  /** Asks a person to confirm a change, where the policy of a connection wants that. Clients that are connected ask by themselves. */
  onApproval?: MoleApproval | undefined;
  /** Folders with saved queries, which become tools. Naming a folder is trusting it. */
  queries?: string | readonly string[] | undefined;
  /** `one`: `run_saved` and `list_saved` instead of a tool for each saved query. `auto` by default: from eleven on. */
  queriesAs?: 'auto' | 'one' | undefined;
  /** A file that gets a line about every call and statement, without literals. */
  audit?: string | undefined;
  /** Adds a comment with the client and a trace id to each statement. */
  tag?: boolean | undefined;
  /** Where relative paths begin, and the search for a project file. The working directory by default. */
  cwd?: string | undefined;
  /** Receives what the program would write to stderr, without secrets. Nothing is logged by default. */
  log?: ((level: MoleLogLevel, message: string) => void) | undefined;
}

export type MoleLogLevel = 'error' | 'warn' | 'notice' | 'info' | 'debug';

/** A secret, or where to find it. */
export type MoleSecret =
  | string
  | { env: string }
  | { file: string }
  | { command: string[] }
  | { keychain: { service: string; account: string } };

/** A private key: its path, its text, or where to find it. */
export type MolePrivateKey = MoleSecret;

/** An SSH server on the way. */
export interface MoleSshHop {
  host: string;
  port?: number | undefined;
  user?: string | undefined;
  password?: MoleSecret | undefined;
  privateKey?: MolePrivateKey | undefined;
  passphrase?: MoleSecret | undefined;
  /** The socket of an SSH agent. */
  agent?: string | undefined;
  /** The accepted host keys, as `SHA256:…`. */
  hostKeys?: string[] | undefined;
}

/** The last SSH server, and those in front of it, outermost first. A text is a host of `~/.ssh/config`. */
export type MoleSsh = string | (MoleSshHop & { jump?: (string | MoleSshHop)[] | undefined });
