import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Folders outside of the server that it may read and write, and the native code that it may load. */
export interface Site {
  /** The only folder of INTO OUTFILE, LOAD DATA and LOAD_FILE. */
  readonly out: string;
  readonly plugins: string;
  /** Where a server writes down what it is asked to run. */
  readonly logs: string;
  /** The file that each function of the native library writes when it is called. */
  readonly marker: string;
  /** Why there is no native library; undefined when there is one. */
  readonly noLibrary: string | undefined;
  /** Options for the server, in its own names. */
  readonly settings: Readonly<Record<string, string>>;
}

export const libraryName = 'guard_probe.so';
const readableFile = 'readable.txt';

/**
 * Native code as people load it to run shell commands from SQL: nothing in a transaction can stop it. One function carries the
 * name of the best known of them, the others could be anything.
 */
const source = `
#include <fcntl.h>
#include <unistd.h>
static long long touch(void) {
  int file = open(MARKER, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file >= 0) { if (write(file, "x", 1) < 0) {} close(file); }
  return 0;
}
#define PLAIN(name) \\
  char name##_init(void *id, void *args, char *message) { return 0; } \\
  long long name(void *id, void *args, char *is_null, char *error) { return touch(); }
PLAIN(sys_exec)
PLAIN(size_label)
PLAIN(uuid_v7)
PLAIN(twin_label)
char total_label_init(void *id, void *args, char *message) { return 0; }
void total_label_clear(void *id, char *is_null, char *error) {}
void total_label_add(void *id, void *args, char *is_null, char *error) { touch(); }
long long total_label(void *id, void *args, char *is_null, char *error) { return 0; }
`;

/** Called at the top of a file; what it made is removed at the end of the file. */
export function useSite(): Site {
  const site = createSite();
  afterAll(() => site.dispose());
  return site;
}

function createSite(): Site & { dispose(): void } {
  const root = mkdtempSync(join(tmpdir(), 'dbmole-guard-'));
  chmodSync(root, 0o755);
  const [out, plugins, logs] = [makeFolder(root, 'out'), makeFolder(root, 'plugins'), makeFolder(root, 'logs')];
  const readable = join(out, readableFile);
  writeFileSync(readable, 'one\ntwo\n');
  chmodSync(readable, 0o644);
  const marker = join(out, 'marker');
  const noLibrary = compile(root, join(plugins, libraryName), marker);
  const settings = {
    'secure-file-priv': out,
    'plugin-dir': plugins,
    'local-infile': 'ON',
    // Statistics that renew themselves would look like an effect.
    'innodb-stats-auto-recalc': 'OFF',
  };
  return { out, plugins, logs, marker, noLibrary, settings, dispose: () => rmSync(root, { recursive: true, force: true }) };
}

/** The servers may run as another user. */
function makeFolder(root: string, name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  return folder;
}

function compile(root: string, target: string, marker: string): string | undefined {
  const file = join(root, 'probe.c');
  writeFileSync(file, source);
  try {
    const options = ['-shared', '-fPIC', '-O1', `-DMARKER=${JSON.stringify(marker)}`];
    execFileSync('cc', [...options, '-o', target, file], { stdio: 'pipe' });
    chmodSync(target, 0o755);
    return undefined;
  } catch (error) {
    return `no C compiler: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  }
}

/** What lies in the folder, with the contents. */
export function formatFiles({ out }: Site): string {
  const names = readdirSync(out).sort();
  return names.map((name) => `${name}=${readText(join(out, name))}`).join('\n');
}

/** The server may write files that we may not read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return existsSync(path) ? '(not readable)' : '(gone)';
  }
}

/** All but what the fixture puts there. */
export function clearFiles({ out }: Site): void {
  for (const name of readdirSync(out)) if (name !== readableFile) rmSync(join(out, name), { recursive: true, force: true });
}
