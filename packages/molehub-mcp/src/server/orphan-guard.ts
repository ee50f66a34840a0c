import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Ends the process groups that are left when this process dies suddenly, by SIGKILL or from lack of memory. A shell, because it takes
 * a megabyte and is everywhere but on Windows: it reads which groups there are, and its input ends with us.
 */
const script = `trap '' HUP INT TERM PIPE
g=' '
while read -r op n; do
  case $op in
    +) g="$g$n " ;;
    -) case $g in *" $n "*) g="\${g%% $n *} \${g#* $n }" ;; esac ;;
  esac
done
case $g in *[0-9]*) ;; *) exit 0 ;; esac
sleep 1
for n in $g; do kill -s TERM -- "-$n"; done 2>/dev/null
sleep 1
for n in $g; do kill -s KILL -- "-$n"; done 2>/dev/null`;

export class OrphanGuard {
  #shell: ChildProcessByStdio<Writable, null, null> | undefined;
  /** Why there is no guard. */
  problem: string | undefined = process.platform === 'win32' ? 'Windows has no process groups' : undefined;

  add(group: number): void {
    this.#write(`+ ${group}\n`);
  }

  remove(group: number): void {
    this.#write(`- ${group}\n`);
  }

  /** All groups have ended. */
  close(): void {
    this.#shell?.stdin.end();
    this.#shell = undefined;
  }

  #write(line: string): void {
    if (this.problem !== undefined) return;
    this.#shell ??= this.#start();
    this.#shell.stdin.write(line);
  }

  #start(): ChildProcessByStdio<Writable, null, null> {
    const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/', env: {} });
    shell.on('error', (error) => {
      this.problem = error.message;
    });
    shell.stdin.on('error', () => undefined);
    shell.unref();
    // Typed as a plain stream; it is a socket, which would keep this process alive.
    if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
    return shell;
  }
}
