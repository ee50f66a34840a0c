import type { Answer } from '../answer/answer.ts';
import { textAt } from '../call/answer-failure.ts';
import type { AskedRequest } from '../call/cluster-request.ts';

interface BlockedIndices {
  ask(request: AskedRequest): Promise<Answer>;
  /** Those that were left out so far. */
  names(): readonly string[];
}

/** One index whose metadata is blocked makes the cluster refuse what is asked of all: then the others are asked for. */
export function createBlockedIndices(ask: (request: AskedRequest) => Promise<Answer>): BlockedIndices {
  const blocked = new Set<string>();
  return {
    names: () => [...blocked],
    async ask(request) {
      const answer = await ask(request);
      const names = listBlocked(answer);
      const path = names.length === 0 ? undefined : excludeIndices(request.path, names);
      if (path === undefined) return answer;
      const again = await ask({ ...request, path }).catch(() => answer);
      if (again.status >= 300) return answer;
      for (const name of names) blocked.add(name);
      return again;
    },
  };
}

/** The indices that made the cluster refuse a request over many, because their metadata is blocked. */
function listBlocked({ status, json }: Pick<Answer, 'status' | 'json'>): string[] {
  if (status !== 403) return [];
  const reason = textAt(json, ['error', 'reason']) ?? '';
  return [...reason.matchAll(/index \[([^\]]{1,255})\] blocked by: \[FORBIDDEN\/9\//g)].map(([, name = '']) => name);
}

/** The path without these indices; undefined where it names indices one by one, so that nothing can be left out. */
function excludeIndices(path: string, names: readonly string[]): string | undefined {
  const left = names.map((name) => `,-${encodeURIComponent(name)}`).join('');
  const [first = '', ...rest] = path.slice(1).split('/');
  if (first === '_cat') {
    const [table = '', target = '*'] = rest;
    return isPattern(target) ? `/_cat/${table}/${target}${left}` : undefined;
  }
  if (first.startsWith('_')) return `/*${left}${path}`;
  return isPattern(first) ? `/${first}${left}/${rest.join('/')}` : undefined;
}

function isPattern(target: string): boolean {
  return decodeURIComponent(target).includes('*');
}
