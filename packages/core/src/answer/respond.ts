import { type Excerpt, type Failure, formatHint, type ToolDoor, toFailure } from '../failure.ts';
import { redact, redactKnown } from '../redact/redact.ts';
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
  /** The call is not over: a person is asked first. Only callers that can ask get this. */
  question?: OpenQuestion;
}

/** A question, and what has to come back with its answer. */
export interface OpenQuestion {
  readonly message: string;
  readonly state: string;
}

/** Characters of an error, in either of its two forms. */
const failureBudget = 4_000;
const nameRoom = 80;
/** The room for an error among several replies. */
export const severalFailureRoom = 1_000;
/** The note below or before a text in which something was replaced. */
const secretNote = '[secret] replaces a secret.';

/** A table as the page has it, which shows the same in words of its own. */
interface ReplyTable extends Rows {
  notes: readonly string[];
}

/** Beside the replies: what they are for every other client does not change. */
const tables = new WeakMap<ToolReply, ReplyTable>();

/** The table of a reply, if that is what it is made of. */
export function findTable(reply: ToolReply): ReplyTable | undefined {
  return tables.get(reply);
}

function keepTable(made: ToolReply, table: ReplyTable | undefined): ToolReply {
  if (table !== undefined) tables.set(made, table);
  return made;
}

interface TableNotes {
  /** Our sentences for the first line. Cut when there is no room for them; nothing from a database belongs here. */
  notes?: readonly string[];
}

interface BodyOptions {
  /** Our one sentence about what this is and how much of it. */
  line: string;
  /** How to get what was cut, for example `Same call with from=10.`; shown only if something was. */
  readOn?: string;
  /** Characters of the whole answer. */
  budget?: number;
  /** Characters of one string of JSON, where not all of it fits. */
  maxStringLength?: number;
}

/** A text with a `line` counts as data. Without one it is our own, with names from a database made visible. */
type TextOptions = Partial<BodyOptions>;

/** What a client shows of an error, whichever half of the reply it reads. */
interface FailureFacts {
  code: string;
  message: string;
  hint?: string;
  engineCode?: string;
  position?: number;
  /** The piece of the statement that begins at the position. */
  at?: string;
  nearest?: string[];
}

/**
 * The makers of every reply. Clients show a model either the text or the structured half, never both: so data is text only,
 * and an error says the same in both. Nothing leaves without having passed `redact`, nor with an invisible character.
 */
export const respond = {
  /** Rows, already within their budget and free of secrets: see `truncateRows`. */
  table(rows: Rows, { notes = [] }: TableNotes = {}): ToolReply {
    const head = [rows.line, ...notes];
    // Column names alone are no answer, and without data there is nothing to distinguish from it.
    const text = rows.shownRows === 0 ? formatHead(head, rows.budget) : joinBody(head, rows.body, rows.budget);
    return keepTable(reply(text), { ...rows, notes: notes.filter((note) => note !== '') });
  },

  json(value: unknown, { line, readOn, budget = defaultBudget, maxStringLength }: BodyOptions): ToolReply {
    const json = truncateJsonBudget(value, requireBudget(budget) - lineReserve, maxStringLength);
    return reply(joinBody([line, formatJsonCuts(json), json.cut ? readOn : undefined], json.text, budget));
  },

  text(text: string, { line, readOn, budget = defaultBudget }: TextOptions = {}): ToolReply {
    const clean = line === undefined ? redact(text) : redactKnown(text);
    const safe = formatVisibleReply(clean);
    const secrets = clean === text ? undefined : secretNote;
    const whole = secrets === undefined ? safe : `${safe}\n${secrets}`;
    if (line === undefined && whole.length <= requireBudget(budget)) return reply(whole);
    const part = truncateText(safe, requireBudget(budget) - lineReserve);
    const cut = part.cut ? `Cut: characters 1-${part.shown} of ${part.length}.` : undefined;
    const head = [line, secrets, cut, part.cut ? readOn : undefined];
    if (line !== undefined && safe === '') return reply(formatHead(head, budget));
    return reply(line === undefined ? `${formatHead(head, lineReserve - 1)}\n${part.text}` : joinBody(head, part.text, budget));
  },

  failure: respondFailure,

  /** The question that ends a round of a call; a caller that shows it as a result shows its text. */
  question(question: OpenQuestion): ToolReply {
    return { ...reply(question.message), question };
  },

  /**
   * Shows texts one after the other, each after a line of its own that no data can imitate: a cell that begins with `--` is quoted,
   * and such a line of a text is indented.
   */
  several(replies: readonly ToolReply[]): ToolReply {
    const texts = replies.map(({ content: [first], isError = false }, i) => {
      const text = (first?.text ?? '').replaceAll('\n-- ', '\n -- ');
      return `-- ${i + 1} of ${replies.length}: ${isError ? cutVisible(text, severalFailureRoom) : text}`;
    });
    return { ...reply(texts.join('\n')), ...(replies.every(({ isError }) => isError) ? { isError: true } : {}) };
  },

  /** The reply with the notice as its first line, if there is one. */
  noticed(notice: string | undefined, made: ToolReply): ToolReply {
    if (notice === undefined) return made;
    const [first = { type: 'text', text: '' }, ...others] = made.content;
    const text = `${formatOneLine(notice, lineReserve)}.\n${first.text}`;
    return keepTable({ ...made, content: [{ ...first, text }, ...others] }, findTable(made));
  },
};

/** Takes whatever was thrown. Without a door the hint names no tool. */
function respondFailure(error: unknown, door: ToolDoor = { offers: () => false, readonly: false }): ToolReply {
  const failure = toFailure(error);
  const facts = collectFacts(failure, door);
  return { ...reply(formatFailure(facts, failure.excerpt)), structuredContent: { ...facts }, isError: true };
}

function reply(text: string): ToolReply {
  return { content: [{ type: 'text', text }] };
}

/** Our one line, which ends by saying that all the rest is data. It gets the room that the data has left. */
function joinBody(sentences: readonly (string | undefined)[], body: string, budget: number): string {
  const head = formatHead(sentences, budget - body.length - dataMark.length - 2);
  return `${head} ${dataMark}\n${body}`;
}

function formatHead(sentences: readonly (string | undefined)[], room: number): string {
  return formatOneLine(sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' '), room);
}

/** Small enough in both forms: quotes and backslashes count twice in the structured one. */
function collectFacts(failure: Failure, door: ToolDoor): FailureFacts {
  const hint = formatHint(failure.next, door);
  for (const scale of [1, 0.5]) {
    const facts = scaledFacts(failure, hint, scale);
    if (JSON.stringify(facts).length <= failureBudget) return facts;
  }
  return scaledFacts(failure, hint, 0.25);
}

function scaledFacts(failure: Failure, hint: string | undefined, scale: number): FailureFacts {
  const { code, message, engineCode, position, excerpt, nearest } = failure;
  return {
    code: formatOneLine(code, 60),
    message: withSecretNote(formatOneLine(message, 1_800 * scale)),
    ...(hint === undefined ? {} : { hint: formatOneLine(hint, 1_200 * scale) }),
    ...(engineCode === undefined ? {} : { engineCode: formatOneLine(engineCode, 60) }),
    ...(position === undefined ? {} : { position }),
    ...(excerpt === undefined ? {} : { at: excerpt.text.slice(excerpt.column) }),
    ...(nearest.length === 0 ? {} : { nearest: nearest.slice(0, 5).map(formatName) }),
  };
}

function withSecretNote(message: string): string {
  return message.includes('[secret]') ? `${message.replace(/\.$/, '')} (${secretNote.replace(/\.$/, '')})` : message;
}

/** What failed on one line, so that no text from outside can look like our next step, which is on the second. */
function formatFailure(facts: FailureFacts, excerpt: Excerpt | undefined): string {
  const { code, message, hint, engineCode, position, nearest = [] } = facts;
  const place = [engineCode, position === undefined ? undefined : `position ${position}`].filter((part) => part !== undefined);
  const where = place.length === 0 ? '' : ` (${place.join(', ')})`;
  const stop = /[.!?…]$/.test(message) ? '' : '.';
  const names = nearest.length === 0 ? '' : ` Nearest: ${nearest.join(', ')}.`;
  const next = hint === undefined ? '' : `\nNext: ${hint}`;
  return `${code}${where}: ${message}${stop}${names}${formatExcerpt(excerpt)}${next}`;
}

/** The caller's own line after a label, so that it cannot look like the next step, and a pointer below it. */
function formatExcerpt(excerpt: Excerpt | undefined): string {
  return excerpt === undefined ? '' : `\nAt: ${excerpt.text}\n${' '.repeat(excerpt.column + 4)}^`;
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
