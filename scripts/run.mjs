// `node scripts/run.mjs TASK …` sets up what is missing and runs scripts/TASK.ts (bench: bench/run.ts).
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setup } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [task, ...args] = process.argv.slice(2);
const files = {
  build: 'scripts/build.ts',
  check: 'scripts/check.ts',
  test: 'scripts/test.ts',
  demo: 'scripts/demo.ts',
  engines: 'scripts/engines.ts',
  bench: 'bench/run.ts',
  docs: 'scripts/docs/generate.ts',
  pictures: 'scripts/docs/pictures.ts',
  fuzz: 'scripts/fuzz.ts',
  soak: 'scripts/soak.ts',
};
if (!Object.hasOwn(files, task ?? '')) {
  console.error(`No task is called ${task}; there are ${Object.keys(files).join(', ')}.`);
  process.exit(2);
}

setup();
const child = spawn(process.execPath, ['--import', 'tsx', `${root}${files[task]}`, ...args], { cwd: root, stdio: 'inherit' });
// Ctrl-C reaches the child by itself; this process only has to outlive it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
