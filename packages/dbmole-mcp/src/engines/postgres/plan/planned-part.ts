import { refuseUnplannable } from '../../../cost/cost-refusal.ts';
import { seePlan } from '../../../next-steps.ts';
import { endOfElement, endOfMatch, findCommentEnd, space } from '../values/elements.ts';

interface Word {
  text: string;
  end: number;
}

/** The statement whose plan shows what an accepted read does: itself, or the one that it measures. Undefined where it reads nothing. */
export function findPlanned(sql: string): string | undefined {
  const first = nextWord(sql, 0);
  if (first?.text === 'show') return undefined;
  if (first?.text !== 'explain') return sql;
  const second = nextWord(sql, first.end);
  if (second?.text === '(') return findMeasured(sql, second.end);
  if (!isAnalyze(second)) return undefined;
  const third = nextWord(sql, second.end);
  return sql.slice(third?.text === 'verbose' ? third.end : second.end);
}

/** Reads on behind `EXPLAIN (`, which begins options or a query. */
function findMeasured(sql: string, from: number): string | undefined {
  let measures = false;
  let word = nextWord(sql, from);
  for (; word !== undefined && word.text !== ')'; word = nextWord(sql, word.end)) {
    if (queryStarts.has(word.text)) return undefined;
    measures ||= isAnalyze(word);
  }
  if (word === undefined) throw refuseUnplannable('the options of EXPLAIN cannot be read', seePlan);
  return measures ? sql.slice(word.end) : undefined;
}

const queryStarts = new Set(['select', 'with', 'values', 'table', '(']);

function isAnalyze(word: Word | undefined): word is Word {
  return word?.text === 'analyze' || word?.text === 'analyse';
}

/** In lower case; undefined at the end. */
function nextWord(sql: string, from: number): Word | undefined {
  let at = from;
  for (let next = skip(sql, at); next > at; next = skip(sql, at)) at = next;
  if (at >= sql.length) return undefined;
  const end = endOfElement(sql, at);
  if (end < 0) throw refuseUnplannable('the statement cannot be read', seePlan);
  return { text: sql.slice(at, end).toLowerCase(), end };
}

function skip(sql: string, at: number): number {
  const end = sql.startsWith('/*', at) ? findCommentEnd(sql, at) : endOfMatch(space, sql, at);
  return end < 0 ? at : end;
}
