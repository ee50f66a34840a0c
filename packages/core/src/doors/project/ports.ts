import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { changeFile } from '../../files/change-file.ts';
import { readSmallFile } from '../../files/read-file.ts';
import { isFields, parseJson } from '../../registry/tree.ts';

/** The port of each project root. */
type PortMap = ReadonlyMap<string, number>;

/** Where ports are remembered. */
export interface PortMemory {
  /** Returns the port of the root, or assigns the first free one. Ports that were tried without success are not assigned again. */
  reserve(root: string, tried: ReadonlySet<number>): Promise<number>;
  remember(root: string, port: number): Promise<void>;
}

const firstPort = 50_001;
const maxPort = 65_535;
/** The programs that serve projects, by their configuration folders. */
const programs = ['dbmole', 'esmole'];

/** Reads `--port` or `--metrics`: a number from 0 to 65535, and 0 is a random port. */
export function parsePort(text: string, option = '--port'): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= maxPort) return port;
  const hint = option === '--port' ? 'Leave it out to use the port of the project.' : `Leave it out, or pass a free port.`;
  throw new Failure('input', `invalid ${option} ${JSON.stringify(text.slice(0, 40))}: expected a number from 0 to ${maxPort}`, {
    hint,
  });
}

/** Keeps the assignments in `ports.json`, which several processes may change at the same time. */
export function createPortFile(stateFolder: string): PortMemory {
  const path = portsPath(stateFolder);
  const change = async (edit: (ports: PortMap) => PortMap) => {
    await changeFile({
      path,
      edit: (image) => {
        const before = parsePorts(image?.bytes.toString('utf8'));
        const after = edit(before);
        return after === before ? undefined : formatPorts(after);
      },
      lockWaitMs: 15_000,
    });
  };
  return {
    async reserve(root, tried) {
      let port = 0;
      await change((ports) => {
        port = choosePort(ports, root, tried, readOtherPorts(stateFolder));
        return ports.get(root) === port ? ports : new Map([...ports, [root, port]]);
      });
      return port;
    },
    remember: (root, port) => change((ports) => (ports.get(root) === port ? ports : new Map([...ports, [root, port]]))),
  };
}

/** Serves a state folder that cannot be written: every start begins at the first port. */
export const noPortMemory: PortMemory = {
  reserve: async (root, tried) => choosePort(new Map(), root, tried),
  remember: async () => undefined,
};

export function readPorts(stateFolder: string): PortMap {
  return parsePorts(readSmallFile(portsPath(stateFolder))?.bytes.toString('utf8'));
}

/** The ports of the other programs of this user: a client that is configured for both must not find one behind the other's URL. */
function readOtherPorts(stateFolder: string): number[] {
  const folders = programs.map((program) => join(stateFolder, '..', '..', program, 'state'));
  return folders.filter((folder) => folder !== stateFolder).flatMap(tryReadPorts);
}

/** A file of another program that cannot be read must not keep this one from starting. */
function tryReadPorts(folder: string): number[] {
  try {
    return [...readPorts(folder).values()];
  } catch {
    return [];
  }
}

function portsPath(stateFolder: string): string {
  return join(stateFolder, 'ports.json');
}

/** A port that is assigned to another project is not free, even if no server uses it now. */
function choosePort(ports: PortMap, root: string, tried: ReadonlySet<number>, others: readonly number[] = []): number {
  const own = ports.get(root);
  if (own !== undefined && !tried.has(own)) return own;
  const assigned = new Set([...ports.values(), ...others]);
  for (let port = firstPort; port <= maxPort; port++) if (!assigned.has(port) && !tried.has(port)) return port;
  throw new Failure('limit', `no port from ${firstPort} to ${maxPort} is free`, { hint: 'Choose one with --port.' });
}

/** A broken file counts as empty: it holds nothing but numbers that can be assigned again. */
function parsePorts(text = '{}'): PortMap {
  const value = parseJson(text);
  return new Map(Object.entries(isFields(value) ? value : {}).filter((entry): entry is [string, number] => isPort(entry[1])));
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= maxPort;
}

function formatPorts(ports: PortMap): string {
  return `${JSON.stringify(Object.fromEntries([...ports].sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`;
}
