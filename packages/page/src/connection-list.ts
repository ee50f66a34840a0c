import { useEffect, useState } from 'preact/hooks';
import { run } from './api.ts';

/** A connection as the server shows it. Texts are safe to show, as text. */
export interface ShownConnection {
  name: string;
  /** Such as its state, its type and its policy. */
  facts: readonly { name: string; text: string }[];
}

interface ConnectionList {
  connections: readonly ShownConnection[];
  /** What is wrong with files of connections. */
  problems: readonly string[];
}

interface Listed {
  list: ConnectionList | undefined;
  /** Why there is no list; empty if nothing failed. */
  failure: string;
  refresh(): void;
}

/** The connections, read when the panel is shown and on request. */
export function useConnections(): Listed {
  const [list, setList] = useState<ConnectionList>();
  const [failure, setFailure] = useState('');
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    run<ConnectionList>('connections', 'list', {}, controller.signal).then(
      (answer) => {
        setList(answer);
        setFailure('');
      },
      (error: unknown) => controller.signal.aborted || setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => controller.abort();
  }, [round]);
  return { list, failure, refresh: () => setRound((before) => before + 1) };
}
