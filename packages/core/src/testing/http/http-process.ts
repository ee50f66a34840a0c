import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Exit, ServerProcessOptions } from '../server-process.ts';

/** `serve` in a process of its own, on a random port unless it is to use the port of its project. It gets an empty home folder and no variable of mole, as ServerProcess does. */
export class HttpProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly home: string;
  readonly exited: Promise<Exit>;
  /** The URL of MCP, once `listening` has resolved. */
  url = '';
  token = '';
  stdout = '';
  stderr = '';
  readonly #mark = Date.now();

  constructor(options: ServerProcessOptions & { projectPort?: boolean }) {
    const { file, args = [], env = {}, cwd, node = process.execPath, projectPort = false } = options;
    if (!existsSync(file)) throw new Error(`${file} is missing: run \`npm run build\` first`);
    this.home = mkdtempSync(join(tmpdir(), 'mole-home-'));
    const own = { PATH: process.env.PATH ?? '', HOME: this.home, XDG_CONFIG_HOME: join(this.home, '.config') };
    const words = ['serve', ...(projectPort || args.includes('--port') ? [] : ['--port', '0']), ...args];
    this.child = spawn(node, [file, ...words], { cwd: cwd ?? this.home, env: { ...own, ...env } });
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve({ code, signal, after: Date.now() - this.#mark }));
    });
  }

  /** Resolves when the server has printed its line; throws when it ended before. */
  async listening(): Promise<this> {
    const [, url = ''] = await this.#match(/(https?:\/\/\S+) \(project /);
    this.url = url;
    const [, file] = /token in ([^,)]+)/.exec(this.stdout) ?? [];
    if (file !== undefined) this.token = readFileSync(file, 'utf8').trim();
    return this;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.child.kill(signal);
    const kill = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    const exit = await this.exited;
    clearTimeout(kill);
    rmSync(this.home, { recursive: true, force: true });
    return exit;
  }

  async #match(pattern: RegExp): Promise<RegExpExecArray> {
    const ended = this.exited.then(({ code }) => `the server ended with ${code}: ${this.stdout}${this.stderr}`);
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found !== null) return found;
      const arrived = new Promise<undefined>((resolve) => this.child.stdout.once('data', () => resolve(undefined)));
      const problem = await Promise.race([arrived, ended]);
      if (problem !== undefined) throw new Error(problem);
    }
  }
}
