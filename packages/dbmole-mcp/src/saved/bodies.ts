import { documentedElsewhere, type QueryBodies, type SavedQuery } from '@dbmole/core';
import * as z from 'zod';
import type { SqlGrammar } from '../engine.ts';
import { maxTimeoutMs } from '../tool.ts';
import { findPlace, scanNames } from './compile.ts';

type Issue = ReturnType<QueryBodies['checkBody']>[number];

const brief = (field: z.ZodInt) => field.optional().meta(documentedElsewhere);
const timeout = { timeout_ms: brief(z.int().min(1).max(maxTimeoutMs)) };

/** `grammars` are those of every engine: which one a query is for is known when its connection is found. */
export function createBodies(grammars: readonly SqlGrammar[]): QueryBodies {
  return { checkBody: (query) => checkBody(query, grammars), argumentsFor, example };
}

const argumentsFor: QueryBodies['argumentsFor'] = (effect) =>
  effect === 'write'
    ? { dry_run: z.boolean().optional().meta(documentedElsewhere), ...timeout }
    : {
        limit: brief(z.int().min(1).max(10_000)),
        offset: brief(z.int().min(0).max(1_000_000_000)),
        cell_limit: brief(z.int().min(1).max(30_000)),
        cell_offset: brief(z.int().min(0).max(1_000_000_000)),
        ...timeout,
      };

const example: QueryBodies['example'] = {
  params: ['customer_id integer: id of the customer. Example: 42', 'since date = 2025-01-01: first day'],
  body: 'select id, placed_at, total from orders\nwhere customer_id = :customer_id and placed_at >= :since\norder by placed_at desc',
};

/** What no engine accepts; what only one of them accepts is found by its server. */
function checkBody(query: SavedQuery, grammars: readonly SqlGrammar[]): readonly Issue[] {
  const found = grammars.map((grammar) => checkWith(query, grammar));
  return found.every((issues) => issues.length > 0) ? (found[0] ?? []) : [];
}

const reads = /^(?:select|with|table|values|show|explain|describe|desc)$/i;

/** What this engine would not accept, or take for something else. */
export function checkWith({ body, params, effect }: SavedQuery, grammar: SqlGrammar): Issue[] {
  const { placeholders: style } = grammar;
  const issues: Issue[] = [];
  const report = (at: number, message: string) => issues.push({ line: body.slice(0, at).split('\n').length, message });
  const { uses, own, open } = scanNames(body, style);
  if (open !== undefined) report(open, 'a string, quoted name or comment begins here and does not end');
  if (own !== undefined) report(own, `a placeholder ${style.ownForm} is mixed with named parameters; write :name for each`);
  for (const { name, start, end } of uses) {
    const param = params.find((one) => one.name === name);
    if (param === undefined)
      report(
        start,
        `:${name} is used and not declared; add a line "-- param ${name} TYPE: …", or write ": ${name}" if it is no parameter`,
      );
    else if (param.type.isList && findPlace(body, start, end).isListed) {
      const message = describeWrongList(name, body.slice(0, start), style.listForm);
      if (message !== undefined) report(start, message);
    }
  }
  const unused = params.filter(({ name }) => !uses.some((use) => use.name === name));
  for (const { name, line } of unused)
    issues.push({
      line,
      message: describeUnused(name, body),
    });
  const { at, word } = findFirstWord(body, style.skip);
  const transaction = grammar.findTransactionWord(body.slice(at));
  if (transaction !== undefined) report(at, `${transaction} would have no effect: each call is a transaction of its own`);
  else if (effect === 'read' && word !== '' && !reads.test(word))
    report(
      at,
      `${word.toUpperCase()} is not a read; a query in your own folder that changes data needs the line "-- effect: write"`,
    );
  return issues;
}

/** A list in the form of another engine. `listForm` is that of an engine that has lists as values. */
function describeWrongList(name: string, before: string, listForm: SqlGrammar['placeholders']['listForm']): string | undefined {
  if (listForm !== undefined)
    return /\bin\s*\(\s*$/i.test(before) ? `in (:${name}) does not take a list; write ${listForm(name)}` : undefined;
  const [, word] = /\b(any|some|all)\s*\(\s*$/i.exec(before) ?? [];
  if (word === undefined) return undefined;
  return `${word.toLowerCase()}(:${name}) does not take a list here; write ${/^all$/i.test(word) ? 'not in' : 'in'} (:${name})`;
}

/** Finds the first word after space, comments and parentheses. */
function findFirstWord(body: string, skip: (sql: string, at: number) => number): { at: number; word: string } {
  for (let at = 0; at < body.length; ) {
    const [word = ''] = /^[A-Za-z]+/.exec(body.slice(at, at + 40)) ?? [];
    if (word !== '') return { at, word };
    const end = skip(body, at);
    if (end < 0) break;
    at = Math.max(end, at + 1);
  }
  return { at: body.length, word: '' };
}

function describeUnused(name: string, body: string): string {
  if (![...body.matchAll(/(?<!:):([a-z]\w*)/g)].some(([, used]) => used === name))
    return `the parameter ${name} is declared and never used; write :${name} in the statement, or remove the line`;
  return `the parameter ${name} is used only inside of a string, quoted name or comment, where it is plain text; write :${name} outside of it`;
}
