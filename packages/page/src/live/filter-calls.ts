import type { LiveCall } from './live-state.ts';

export interface LiveFilter {
  /** Every word has to be somewhere in the call. */
  search: string;
  /** Empty: all. */
  state: string;
  client: string;
  connection: string;
}

export const noFilter: LiveFilter = { search: '', state: '', client: '', connection: '' };

/** The newest first. */
export function filterCalls(calls: readonly LiveCall[], filter: LiveFilter): LiveCall[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (call: LiveCall) =>
    (['state', 'client', 'connection'] as const).every((key) => filter[key] === '' || call[key] === filter[key]) &&
    hasWords(call, words);
  return calls.filter(isWanted).reverse();
}

function hasWords({ tool, client, connection = '', text, code = '', state }: LiveCall, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const whole = `${tool}\n${client}\n${connection}\n${text}\n${code}\n${state}`.toLowerCase();
  return words.every((word) => whole.includes(word));
}

/** The values of one field, for a choice; the empty ones are left out. */
export function listValues(calls: readonly LiveCall[], key: 'client' | 'connection' | 'state'): string[] {
  return [...new Set(calls.map((call) => call[key] ?? ''))].filter(Boolean).sort();
}
