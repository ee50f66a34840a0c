import { useState } from 'preact/hooks';

interface Action {
  isRunning: boolean;
  /** What went wrong, for the person; empty if nothing did. */
  problem: string;
  /** Runs the work unless some is running; a failure becomes the problem. */
  start(work: () => Promise<void>): void;
}

/** What a button does: one thing at a time, and its failure can be read. */
export function useAction(): Action {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState('');
  const start = (work: () => Promise<void>) => {
    if (isRunning) return;
    setRunning(true);
    setProblem('');
    work()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setRunning(false));
  };
  return { isRunning, problem, start };
}
