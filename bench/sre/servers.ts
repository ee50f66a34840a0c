import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioServer } from '../stdio-server.ts';
import type { Call, Task } from './task.ts';

const program = fileURLToPath(new URL('../../packages/esmole-mcp/dist/main.js', import.meta.url));

export interface Contender {
  name: string;
  server: StdioServer;
  calls(task: Task): readonly Call[];
  /** The text of a file that belongs to the answer of a task. */
  readFile(name: string): string;
}

/** Our server and the two others that can do all of the tasks, each started as its documentation says. */
export async function startContenders(url: URL, { node, home }: { node: string; home: string }): Promise<Contender[]> {
  const place = { name: 'cluster', scheme: 'http', host: url.hostname, port: Number(url.port), auth: 'none' };
  const ours = new StdioServer({
    file: program,
    node,
    home,
    env: { ESMOLE_CONNECTIONS: JSON.stringify([place]), ESMOLE_EXPORT_DIR: home },
  });
  const elasticsearchMcp = startPython('elasticsearch-mcp-server', '2.1.6', { ELASTICSEARCH_HOSTS: url.origin });
  const opensearchMcp = startPython('opensearch-mcp-server-py', '0.12.0', {
    OPENSEARCH_URL: url.origin,
    OPENSEARCH_NO_AUTH: 'true',
  });
  const none = () => '';
  const contenders: Contender[] = [
    { name: 'esmole-mcp', server: ours, calls: (task) => task.ours, readFile: (name) => readWritten(join(home, name)) },
    { name: 'elasticsearch-mcp-server', server: elasticsearchMcp, calls: (task) => task.elasticsearchMcp, readFile: none },
    { name: 'opensearch-mcp-server-py', server: opensearchMcp, calls: (task) => task.opensearchMcp, readFile: none },
  ];
  for (const { server } of contenders) await server.initialize();
  return contenders;
}

function readWritten(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** A program of a Python package, which is installed into an environment of its own if that has not been done before. */
function startPython(name: string, version: string, env: Record<string, string>): StdioServer {
  const folder = join(tmpdir(), 'mole-bench-peers', `${name}-${version}`);
  const file = join(folder, 'bin', name);
  if (!existsSync(file)) {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(join(folder, 'bin', 'pip'), ['install', '--quiet', `${name}==${version}`], { stdio: 'inherit' });
  }
  return new StdioServer({ file, node: join(folder, 'bin', 'python'), env });
}
