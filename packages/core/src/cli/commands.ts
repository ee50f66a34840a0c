import type { CliQuery, CliSchema, ToolCommand } from '../program/cli-query.ts';
import type { Command } from './command.ts';
import { serveOptionNames } from './serve-options.ts';

/** What the commands need to know about the server. */
export interface CommandsOf {
  toolCommands?: readonly ToolCommand[];
  /** Present if the server takes over the custom tools of other servers. */
  importQueries?: unknown;
  /** Present if calls may wait for a person who confirms them. */
  approves?: boolean;
  query?: Omit<CliQuery<never>, 'run'>;
  schemaLines?: Omit<CliSchema<never>, 'list'>;
  /** An example for the help of `connections add`. */
  exampleUrl?: string;
}

const any = Number.POSITIVE_INFINITY;
/** What reads connections and uses them. */
const reading = ['config', 'readonly', 'flags'] as const;

const install = async () => (await import('./install/install.ts')).install;
const uninstall = async () => (await import('./install/install.ts')).uninstall;
const connections = () => import('./commands/connections.ts');
const saving = () => import('./commands/save-connection.ts');

/** The commands, in the order of `--help`. */
export function listCommands({
  query,
  schemaLines,
  toolCommands = [],
  importQueries,
  approves = false,
  exampleUrl = 'host=db.example.com user=me',
}: CommandsOf): readonly Command[] {
  return [
    ...clientCommands,
    ...readingCommands,
    addCommand(exampleUrl),
    ...changingCommands,
    doctor,
    ...(query === undefined ? [] : [queryCommand(query)]),
    ...toolCommands.map(toolCommand),
    ...(schemaLines === undefined ? [] : [schemaCommand(schemaLines)]),
    ...queriesCommands,
    ...(importQueries === undefined ? [] : [queriesImport]),
    ...trustCommands,
    ...(approves ? [approve] : []),
    audit,
    serve,
    open,
    projects,
  ];
}

const clientCommands: readonly Command[] = [
  {
    name: 'install',
    takes: '[CLIENT…]',
    words: [0, any],
    about: "add this server to a client's configuration",
    example: 'install cursor --readonly',
    options: ['yes', 'project', 'env', 'http', 'url', 'sign-in'],
    server: 'all',
    load: install,
  },
  {
    name: 'uninstall',
    takes: 'CLIENT',
    words: [0, 1],
    about: "remove this server from a client's configuration",
    example: 'uninstall cursor',
    options: ['yes', 'project'],
    load: uninstall,
  },
];

const readingCommands: readonly Command[] = [
  {
    name: 'connections list',
    about: 'list connections, and where each is defined',
    example: 'connections list',
    server: reading,
    load: async () => (await connections()).list,
  },
  {
    name: 'connections show',
    takes: 'NAME',
    words: [1, 1],
    about: 'show the fields of a connection, without its secrets',
    example: 'connections show shop',
    server: reading,
    load: async () => (await connections()).show,
  },
  {
    name: 'connections test',
    takes: '[NAME…]',
    words: [0, any],
    about: 'check that connections work',
    example: 'connections test shop',
    server: reading,
    load: async () => (await connections()).test,
  },
];

function addCommand(exampleUrl: string): Command {
  return {
    name: 'connections add',
    takes: 'NAME URL',
    words: [2, any],
    about: 'test a connection and save it; KEY=VALUE sets a field',
    example: `connections add shop ${exampleUrl}`,
    options: ['password-stdin', 'yes'],
    server: ['config'],
    load: async () => (await saving()).add,
  };
}

const changingCommands: readonly Command[] = [
  {
    name: 'connections update',
    takes: 'NAME KEY=VALUE',
    words: [1, any],
    about: 'change fields; `password` alone prompts for a new one',
    example: 'connections update shop database=archive password',
    options: ['password-stdin', 'yes'],
    server: ['config'],
    load: async () => (await saving()).update,
  },
  {
    name: 'connections rename',
    takes: 'NAME NEW',
    words: [2, 2],
    about: 'rename a connection',
    example: 'connections rename shop shop-old',
    server: ['config'],
    load: async () => (await connections()).rename,
  },
  {
    name: 'connections remove',
    takes: 'NAME',
    words: [1, 1],
    about: 'delete a connection from your own store',
    example: 'connections remove shop',
    options: ['yes'],
    server: ['config'],
    load: async () => (await connections()).remove,
  },
  {
    name: 'connections import',
    takes: '[SOURCE]',
    words: [0, 1],
    about: 'import connections from other programs, or from a .env file',
    example: 'connections import .env',
    options: ['yes'],
    server: ['config'],
    load: async () => (await import('./commands/import.ts')).importConnections,
  },
];

const queriesImport: Command = {
  name: 'queries import',
  takes: 'FILE',
  words: [1, 1],
  about: 'import the custom tools of tools.yaml (MCP Toolbox) or dbhub.toml',
  example: 'queries import tools.yaml',
  options: ['project'],
  load: async () => (await import('./queries/import.ts')).importQueries,
};

const queriesCommands: readonly Command[] = [
  {
    name: 'queries list',
    about: 'list the saved queries, and what is wrong with a file',
    example: 'queries list',
    server: [...reading, 'queries'],
    load: async () => (await import('./queries/list.ts')).list,
  },
  {
    name: 'queries check',
    takes: '[NAME…]',
    words: [0, any],
    about: 'check saved queries on their connections, without running them',
    example: 'queries check --explain',
    options: ['explain'],
    server: [...reading, 'queries'],
    load: async () => (await import('./queries/check.ts')).check,
  },
  {
    name: 'queries run',
    takes: 'NAME [PARAM=VALUE…]',
    words: [1, any],
    about: 'run a saved query with these parameters',
    example: 'queries run customer_orders customer_id=42',
    options: ['limit', 'yes'],
    server: [...reading, 'timeout', 'queries'],
    load: async () => (await import('./queries/run.ts')).run,
  },
  {
    name: 'queries new',
    takes: 'NAME',
    words: [1, 1],
    about: 'create the file of a new saved query',
    example: 'queries new customer_orders',
    options: ['project'],
    load: async () => (await import('./queries/new.ts')).create,
  },
];

const doctor: Command = {
  name: 'doctor',
  takes: '[NAME…]',
  words: [0, any],
  about: 'check every connection, and name the next step',
  example: 'doctor shop --role',
  options: ['json', 'role'],
  server: [...reading, 'timeout'],
  load: async () => (await import('./commands/doctor.ts')).doctor,
};

const approve: Command = {
  name: 'approve',
  takes: '[ID]',
  words: [0, 1],
  about: 'show the changes that wait for your confirmation, and run one',
  example: 'approve k7m2pq',
  server: [...reading, 'timeout', 'queries'],
  load: async () => (await import('./approval/approve.ts')).approve,
};

const serve: Command = {
  name: 'serve',
  about: 'serve MCP over HTTP, on a port of this project',
  example: 'serve',
  options: serveOptionNames,
  server: 'serving',
  isServer: true,
  load: async () => (await import('./commands/serve.ts')).serve,
};

const open: Command = {
  name: 'open',
  about: 'open the page of this project in a browser',
  example: 'open',
  server: 'serving',
  load: async () => (await import('./page/open.ts')).open,
};

const audit: Command = {
  name: 'audit',
  takes: '[FILE]',
  words: [0, 1],
  about: 'print the audit log',
  example: 'audit --since 2h --errors',
  options: ['since', 'connection', 'tool', 'errors', 'follow', 'limit', 'json'],
  server: ['audit'],
  load: async () => (await import('./audit/audit.ts')).audit,
};

const projects: Command = {
  name: 'projects',
  about: 'list projects with their ports, and which servers run',
  example: 'projects',
  options: ['json'],
  load: async () => (await import('./commands/projects.ts')).projects,
};

const trustCommands: readonly Command[] = [
  {
    name: 'trust',
    takes: 'CONNECTION [SHA256:…]',
    words: [1, any],
    about: "show the keys of a connection's SSH servers and accept them",
    example: 'trust shop',
    server: ['config'],
    load: async () => (await import('./commands/trust.ts')).trust,
  },
  {
    name: 'allow',
    takes: '[FILE]',
    words: [0, 1],
    about: 'trust the project file found here, or FILE',
    example: 'allow',
    options: ['yes'],
    load: async () => (await import('./commands/allow.ts')).allow,
  },
  {
    name: 'disallow',
    takes: '[FILE]',
    words: [0, 1],
    about: 'revoke that trust',
    example: 'disallow',
    load: async () => (await import('./commands/allow.ts')).disallow,
  },
];

function queryCommand({ usage, about, example, options }: Omit<CliQuery<never>, 'run'>): Command {
  return {
    name: 'query',
    takes: `CONNECTION ${usage}`,
    words: [1, any],
    about,
    example: `query shop ${example}`,
    options,
    server: [...reading, 'timeout'],
    load: async () => (await import('./commands/query.ts')).query,
  };
}

function schemaCommand({ about, example }: Omit<CliSchema<never>, 'list'>): Command {
  return {
    name: 'schema',
    takes: 'CONNECTION',
    words: [1, 1],
    about,
    example: `schema ${example}`,
    options: ['database', 'schema', 'diff'],
    server: [...reading, 'timeout'],
    load: async () => (await import('./commands/schema.ts')).printSchema,
  };
}

function toolCommand(one: ToolCommand): Command {
  return {
    ...one,
    takes: `CONNECTION ${one.takes}`.trimEnd(),
    server: [...reading, 'timeout'],
    load: async () => {
      const { runTool } = await import('./commands/tool-command.ts');
      return (call) => runTool(one, call);
    },
  };
}
