/** Progress of a set-up goes to stderr: stdout may belong to a test reporter or a protocol. */
export function sayProgress(line: string): void {
  process.stderr.write(`engines: ${line}\n`);
}

function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Says what begins and, with its duration, what ended. One line each, since several run at the same time. */
export async function withProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  sayProgress(`${what}…`);
  try {
    const result = await work();
    sayProgress(`${what}… done ${formatSeconds(performance.now() - start)}`);
    return result;
  } catch (error) {
    sayProgress(`${what}… failed ${formatSeconds(performance.now() - start)}`);
    throw error;
  }
}
