import { formatVisible } from '@dbmole/core';
import type { HubTool, Listing } from '../manifest/listing.ts';
import type { Hub } from './hub.ts';

const maxLine = 200;
/** Words that say nothing of a tool. */
const commonWords = new Set(
  (
    'a all an and any are at be by can do does for from get have how i in is it its me my of on or some that the ' +
    'their there these this to use want what when where which who with you your'
  ).split(' '),
);
/** The shortest word whose beginning counts. */
const minPrefix = 3;

interface Wanted {
  query: string;
  server: string | undefined;
}

/** The tools that have a word of the query, best first: a word of the name counts for more than one of the description. */
export function searchIn({ tools }: Pick<Listing, 'tools'>, { query, server }: Wanted): HubTool[] {
  const words = splitWords(query);
  const scored = [...tools.values()]
    .filter((tool) => !tool.isWithheld && (server === undefined || tool.server === server))
    .map((tool) => ({ tool, score: computeScore(tool, words) }));
  return scored
    .filter(({ score }) => score > 0 || words.length === 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

function computeScore({ name: original, server, definition }: HubTool, words: readonly string[]): number {
  const name = splitWords(original);
  const rest = new Set(splitWords(`${server} ${definition.title ?? ''} ${definition.description ?? ''}`));
  const parameters = Object.keys(Object(definition.inputSchema.properties)).flatMap(splitWords);
  return words.reduce((score, word) => {
    if (name.includes(word)) return score + 10;
    if (name.some((one) => begins(one, word) || begins(word, one))) return score + 6;
    if (rest.has(word)) return score + 3;
    if (parameters.includes(word)) return score + 2;
    return [...rest].some((one) => begins(one, word)) ? score + 1 : score;
  }, 0);
}

function begins(word: string, start: string): boolean {
  return start.length >= minPrefix && word.startsWith(start);
}

/** `readTextFile` and `read_text_file` are three words; a plural is its singular. */
function splitWords(text: string): string[] {
  const parts = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return parts
    .filter((part) => part !== '' && !commonWords.has(part))
    .map((part) => (part.length > 3 ? part.replace(/s$/, '') : part));
}

export function formatFound(found: readonly HubTool[], limit: number): string {
  if (found.length === 0) return 'No tool matches. Call hub_search without a query to see the servers.';
  const lines = found.slice(0, limit).map(({ definition }) => `${definition.name}: ${firstLine(definition.description)}`);
  const more = found.length > limit ? ` The first ${limit} are shown; raise limit for more.` : '';
  return [`${found.length} tool${found.length === 1 ? '' : 's'}.${more} Next: hub_describe.`, ...lines].join('\n');
}

/** The servers, and how many tools each has. */
export function formatCatalog(hub: Hub): string {
  const lines = hub.enabled.map((server) => {
    const tools = [...hub.listing.tools.values()].filter((one) => one.server === server.name && !one.isWithheld);
    const names = tools.map(({ name }) => name).join(', ');
    const short = names.length <= maxLine ? names : `${names.slice(0, maxLine)}…`;
    return `${formatVisible(server.name)}: ${tools.length} tools${short === '' ? '' : ` (${formatVisible(short)})`}`;
  });
  return [`${lines.length} server${lines.length === 1 ? '' : 's'}.`, ...lines].join('\n');
}

function firstLine(text: string | undefined): string {
  const [line = ''] = (text ?? '').trim().split('\n');
  return line.length <= maxLine ? line : `${line.slice(0, maxLine - 1)}…`;
}
