import { Failure } from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer/answer.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { buildPath } from '../call/path.ts';
import { isObject } from './hit-table.ts';
import { findHits, type Page } from './read-hits.ts';
import { createFirstPage, planPage, readPage } from './read-page.ts';
import { type SearchArgs, searchBody } from './search-body.ts';

const mebibyte = 1024 * 1024;

/** Reads the first pages of all in one request, and those that continue a search one after the other. */
export async function readSeveral(call: ClusterCall, all: readonly SearchArgs[]): Promise<(Page | Failure)[]> {
  const first = all.filter(isFirst);
  const pages = first.length === 0 ? [] : await readFirstPages(call, first);
  const results: (Page | Failure)[] = [];
  for (const args of all) {
    const page = isFirst(args) ? pages.shift() : undefined;
    results.push(page ?? (await readPage(call, args).catch(expectFailure)));
  }
  return results;
}

function isFirst({ cursor, search_after }: SearchArgs): boolean {
  return cursor === undefined && search_after === undefined;
}

function expectFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

async function readFirstPages(call: ClusterCall, all: readonly SearchArgs[]): Promise<(Page | Failure)[]> {
  const plans = all.map(planPage);
  const names = new Set(all.map(({ index }) => index));
  // A name in the path is narrowed to the indices of the connection; one in a header has to be within them.
  const [common] = names.size === 1 ? names : [];
  const body = plans.flatMap(({ args, preference }) => {
    const header = {
      ...(names.size > 1 && args.index !== undefined && { index: args.index }),
      ...(preference && { preference }),
    };
    return [header, searchBody(args)];
  });
  const lines = body.map((line) => `${JSON.stringify(line)}\n`).join('');
  const answer = await call.ask({ method: 'POST', path: buildPath(common, '_msearch'), body: lines }, limitsFor(all));
  // One search that the cluster cannot parse fails all of them: each alone shows which one it is.
  if (answer.status === 400) return [];
  const whole = await call.failureOf(answer);
  if (whole !== undefined) throw whole;
  const responses = isObject(answer.json) && Array.isArray(answer.json.responses) ? answer.json.responses : [];
  const pages: (Page | Failure)[] = [];
  for (const [at, { args }] of plans.entries()) {
    const one = takeAnswer(answer, responses[at], at === 0);
    const failure = await call.failureOf(one);
    pages.push(failure ?? createFirstPage(call, args, { answer: one, ...findHits(one.json) }));
  }
  return pages;
}

/** The answer of one search. What is said of the whole request is said with the first one. */
function takeAnswer(whole: Answer, response: unknown, isFirstOne: boolean): Answer {
  const json = isObject(response) ? response : undefined;
  const { policyNote: _policy, costNote: _cost, ...rest } = whole;
  const status = typeof json?.status === 'number' ? json.status : json?.hits === undefined ? 502 : 200;
  return { ...(isFirstOne ? whole : { ...rest, warnings: [] }), status, json, text: '' };
}

function limitsFor(all: readonly SearchArgs[]): AnswerLimits {
  const string = Math.max(...all.map(({ cell_offset, cell_limit }) => cell_offset + cell_limit)) + 4 * 1024;
  const list = 16 * mebibyte + 2 * string;
  return { bytes: 256 * 1024, json: { string, list, innerList: list / all.length, total: list, values: 200_000 } };
}
