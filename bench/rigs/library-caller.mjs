// A program that imports the library, and tells how long each of its calls took.
import { createInterface } from 'node:readline';

const { createDbmole } = await import(process.env.LIBRARY);
const mole = await createDbmole({ connections: JSON.parse(process.env.CONNECTIONS) });
for await (const sql of createInterface({ input: process.stdin })) {
  const started = performance.now();
  const { content } = await mole.call('query', { sql });
  const ms = performance.now() - started;
  process.stdout.write(`${JSON.stringify({ ms, text: content[0].text })}\n`);
}
await mole.dispose();
