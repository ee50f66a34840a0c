import { Failure } from '../failure.ts';
import { redactData } from '../redact/redact.ts';
import type { Turns } from '../turns.ts';
import { type JsonCuts, type JsonLimits, type WrittenJson, writeJson } from './json-writer.ts';

interface JsonPart {
  /** Valid JSON on one line. Where something was left out, a string in `⟦⟧` replaces it and says how much. */
  text: string;
  cut: boolean;
  limits: JsonLimits;
  cuts: JsonCuts;
  /** Strings from which something that looks like a secret was removed. */
  redacted: number;
}

export const smallestJsonRoom = 200;

const whole: JsonLimits = { string: Infinity, items: Infinity, keys: Infinity, depth: Infinity };
const steps = 48;
const usefulString = 200;

/**
 * JSON of a value in at most `room` characters. What is too long is cut evenly: the same limits hold for every string, list
 * and object in it, so that the result has the shape of the original and one sentence can say what is missing. We look for
 * the widest limits that fit; every try ends as soon as the room is full, so the cost depends on the room, not on the value.
 */
export function truncateJsonBudget(value: unknown, room: number, maxStringLength = Infinity): JsonPart {
  const work = truncateInSteps(value, room, maxStringLength);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** The same, and other calls run in between. */
export async function truncateJsonInTurns(value: unknown, room: number, turns: Turns): Promise<JsonPart> {
  const work = truncateInSteps(value, room, Infinity);
  let step = work.next();
  while (step.done !== true) {
    await turns.next();
    step = work.next();
  }
  return step.value;
}

type Steps<T> = Generator<undefined, T, undefined>;

function* truncateInSteps(value: unknown, room: number, maxStringLength: number): Steps<JsonPart> {
  if (!(room >= smallestJsonRoom)) {
    throw new Failure('internal', `room for JSON is ${room}; it takes ${smallestJsonRoom} characters or more`);
  }
  const found = yield* findWidest(value, { room, maxStringLength, removeSecrets: false });
  // Strings are cleaned one by one: a pattern that reached from a key into its value would leave invalid JSON behind.
  const isClean = redactData(found.text) === found.text;
  yield;
  const clean = isClean ? found : yield* findWidest(value, { room, maxStringLength, removeSecrets: true });
  return { ...clean, cut: Object.values(clean.cuts).some((count) => count > 0) };
}

/** What a person or a model needs to know of the cuts, in one sentence; empty when there were none. */
export function formatJsonCuts({ limits, cuts, redacted }: JsonPart): string {
  const said = [
    cuts.strings > 0 ? `strings at ${limits.string} characters` : '',
    cuts.lists > 0 ? `lists at ${limits.items} items` : '',
    cuts.objects > 0 ? `objects at ${limits.keys} keys` : '',
    cuts.levels > 0 ? `depth at ${limits.depth} levels` : '',
  ].filter((part) => part !== '');
  const cut = said.length === 0 ? '' : `Cut to fit: ${said.join(', ')}.`;
  const secrets = redacted === 0 ? '' : `${redacted} string${redacted === 1 ? '' : 's'} shown without secrets.`;
  return `${cut} ${secrets}`.trim();
}

interface Widest {
  room: number;
  /** The limit of one string when not all fits: a huge value must not take the room of all others. */
  maxStringLength: number;
  removeSecrets: boolean;
}

function* findWidest(
  value: unknown,
  { room, maxStringLength, removeSecrets }: Widest,
): Steps<WrittenJson & { limits: JsonLimits }> {
  const attempt = (given: JsonLimits) => {
    const limits = given === whole ? whole : { ...given, string: Math.min(given.string, maxStringLength) };
    const written = writeJson(value, { limits, room, removeSecrets });
    return written && { ...written, limits };
  };
  let best = attempt(whole);
  let low = 0;
  let high = best ? 0 : steps;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    yield;
    const found = attempt(limitsAt(middle, room));
    if (found) {
      best = found;
      high = middle;
    } else low = middle + 1;
  }
  best ??= attempt(limitsAt(steps, room));
  if (best) return best;
  throw new Failure('internal', `no part of a JSON value fits into ${room} characters`);
}

/**
 * From wide (0) to the narrowest of all (`steps`), at which only the outermost kind and size is left. Long strings shrink first,
 * down to a length that is still worth reading; then lists and objects; and all of it only when that was not enough.
 */
function limitsAt(step: number, room: number): JsonLimits {
  if (step >= steps) return { string: 0, items: 0, keys: 0, depth: 0 };
  const tight = Math.max(0, step - 34);
  return {
    string: Math.floor(Math.max(usefulString, room * 0.75 ** (step + 1)) * 0.8 ** tight),
    items: Math.max(1, Math.floor(4_000 * 0.83 ** step)),
    keys: Math.max(2, Math.floor(12_000 * 0.83 ** step)),
    depth: Math.max(1, 64 - Math.floor(step * 1.35)),
  };
}
