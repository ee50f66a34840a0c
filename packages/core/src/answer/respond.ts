import { type Failure, toFailure } from '../failure.ts';
import { redact, redactKnown } from '../redact.ts';
import { cutVisible, formatVisibleReply } from '../text.ts';
import { dataMark } from './first-line.ts';
import { quoteRemote } from './quote-remote.ts';
import { defaultBudget, lineReserve, requireBudget, truncateText } from './truncate.ts';
import { formatJsonCuts, truncateJsonBudget } from './truncate-json.ts';
import type { Rows } from './truncate-rows.ts';

/** The only form of an answer, and only `respond` makes it. */
export interface ToolReply {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** Characters of an error, in either of its two forms. */
const failureBudget = 4_000;
const nameRoom = 80;

export interface TableNotes {
  /** Sentences of ours for the first line. Cut when there is no room for them; nothing from a database belongs here. */
  notes?: readonly string[];
}

export interface BodyOptions {
  /** Says what this is and how much of it, as one sentence of ours. */
  line: string;
  /** How to get what was cut, for example `Same call with from=10.`; shown only if something was. */
  readOn?: string;
  /** Characters of the whole answer. */
  budget?: number;
}

/** With a `line` the text counts as data. Without one it is a text of ours in which names from a database were made visible. */
export type TextOptions = Partial<BodyOptions>;

/** What a client shows of an error, whichever half of the reply it reads. */
interface FailureFacts {
  code: string;
  message: string;
  hint?: string;
  engineCode?: string;
  position?: number;
  nearest?: string[];
}

/**
 * The makers of every reply. Clients show a model either the text or the structured half, never both: so data is text only,
 * and an error says the same in both. Nothing leaves without having passed `redact`, nor with a character nobody can see.
 */
export const respond = {
  /** Rows, already within their budget and free of secrets: see `truncateRows`. */
  table(rows: Rows, { notes = [] }: TableNotes = {}): ToolReply {
    return reply(joinBody([rows.line, ...notes], rows.body, rows.budget));
  },

  json(value: unknown, { line, readOn, budget = defaultBudget }: BodyOptions): ToolReply {
    const json = truncateJsonBudget(value, requireBudget(budget) - lineReserve);
    return reply(joinBody([line, formatJsonCuts(json), json.cut ? readOn : undefined], json.text, budget));
  },

  text(text: string, { line, readOn, budget = defaultBudget }: TextOptions = {}): ToolReply {
    const safe = formatVisibleReply(line === undefined ? redact(text) : redactKnown(text));
    if (line === undefined && safe.length <= requireBudget(budget)) return reply(safe);
    const part = truncateText(safe, requireBudget(budget) - lineReserve);
    const cut = part.cut ? `Cut: characters 1-${part.shown} of ${part.length}.` : undefined;
    const head = [line, cut, part.cut ? readOn : undefined];
    return reply(line === undefined ? `${formatHead(head, lineReserve - 1)}\n${part.text}` : joinBody(head, part.text, budget));
  },

  failure: respondFailure,
};

/** Takes whatever was thrown. */
function respondFailure(error: unknown): ToolReply {
  const facts = factsOf(toFailure(error));
  return { ...reply(formatFailure(facts)), structuredContent: { ...facts }, isError: true };
}

function reply(text: string): ToolReply {
  return { content: [{ type: 'text', text }] };
}

/** One line of ours that ends by saying that all the rest is data. It gets the room that the data has left. */
function joinBody(sentences: readonly (string | undefined)[], body: string, budget: number): string {
  const head = formatHead(sentences, budget - body.length - dataMark.length - 2);
  return `${head} ${dataMark}\n${body}`;
}

function formatHead(sentences: readonly (string | undefined)[], room: number): string {
  return formatOneLine(sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' '), room);
}

/** Small enough in both forms: quotes and backslashes count twice in the structured one. */
function factsOf(failure: Failure): FailureFacts {
  for (const scale of [1, 0.5]) {
    const facts = scaledFacts(failure, scale);
    if (JSON.stringify(facts).length <= failureBudget) return facts;
  }
  return scaledFacts(failure, 0.25);
}

function scaledFacts({ code, message, hint, engineCode, position, nearest }: Failure, scale: number): FailureFacts {
  return {
    code: formatOneLine(code, 60),
    message: formatOneLine(message, 1_800 * scale),
    ...(hint === undefined ? {} : { hint: formatOneLine(hint, 1_200 * scale) }),
    ...(engineCode === undefined ? {} : { engineCode: formatOneLine(engineCode, 60) }),
    ...(position === undefined ? {} : { position }),
    ...(nearest.length === 0 ? {} : { nearest: nearest.slice(0, 5).map(formatName) }),
  };
}

/** What failed on one line, so that no text from outside can look like our next step, which stands on the second. */
function formatFailure({ code, message, hint, engineCode, position, nearest = [] }: FailureFacts): string {
  const place = [engineCode, position === undefined ? undefined : `position ${position}`].filter((part) => part !== undefined);
  const where = place.length === 0 ? '' : ` (${place.join(', ')})`;
  const stop = /[.!?…]$/.test(message) ? '' : '.';
  const names = nearest.length === 0 ? '' : ` Nearest: ${nearest.join(', ')}.`;
  const next = hint === undefined ? '' : `\nNext: ${hint}`;
  return `${code}${where}: ${message}${stop}${names}${next}`;
}

/** A name may be any text; one that can be nothing but a name, or is quoted already, is left as it is. */
function formatName(name: string): string {
  return /^(?:[\p{L}\p{N}_.$*:/@-]|"[^"\n]*"|`[^`\n]*`)+$/u.test(name)
    ? formatOneLine(name, nameRoom)
    : quoteRemote(name, nameRoom);
}

function formatOneLine(text: string, room: number): string {
  const lines = formatVisibleReply(redact(text)).split('\n');
  const line = lines
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .join(' ');
  return line.length <= room ? line : `${cutVisible(line, room - 1)}…`;
}
