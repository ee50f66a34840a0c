import { type CliQuestion, Failure } from '@dbmole/core';
import type { ClusterBackend } from '../backend.ts';
import { createCall } from '../call/cluster-call.ts';
import { formatCsvCell } from '../export/clean-value.ts';
import { createJsonWriter } from '../export/row-writer.ts';
import { recordRequests } from '../recording/recorded-requests.ts';
import { readAllRows } from './read-all-rows.ts';

type Printing = Pick<CliQuestion, 'limit' | 'params' | 'signal' | 'answer' | 'note' | 'record'> & { readonly text: string };

/** Prints the rows of a query for a person, as many as are wanted. */
export async function printRows(backend: ClusterBackend, { text, params, ...question }: Printing): Promise<void> {
  const { limit, signal, note, record } = question;
  const identity = await backend.identify(signal);
  const lease = { backend, name: 'query', config: { name: 'query', type: 'elasticsearch', readonly: true } };
  const call = createCall(lease, identity, { signal, recorder: record && recordRequests(record, identity) });
  const notes = new Set<string>();
  let print: ReturnType<typeof createPrinter> | undefined;
  let missing: string | undefined;
  for await (const page of readAllRows(call, { query: text, params: readParams(params) }, limit)) {
    print ??= createPrinter(question.answer, page.table.columns);
    for (const one of call.news(page.answer)) notes.add(one);
    const isEnough = !page.table.list.every(print);
    missing = page.problem ?? (isEnough ? undefined : page.missing);
    if (isEnough) break;
  }
  for (const one of notes) note(one);
  if (missing === undefined) return;
  // A program that gets all rows in a pipe has to be told by more than a text.
  if (limit === undefined) throw new Failure('limit', missing.replace(/\.$/, ''), { code: 'E_EXPORT_INCOMPLETE' });
  note(missing);
}

/** Answers whether more rows are wanted. */
function createPrinter(answer: CliQuestion['answer'], columns: readonly string[]): (row: readonly unknown[]) => boolean {
  const write = createJsonWriter(columns);
  let current: readonly unknown[] = [];
  // The texts of a row do not tell numbers from strings, so the values are written.
  answer.columns(columns, () => write(current));
  return (row) => {
    current = row;
    return answer.row(row.map(formatCsvCell));
  };
}

/** `name=value`, or values in their order; a value that is a number, true, false or null in JSON is meant so. */
function readParams(given: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  if (given.length === 0) return undefined;
  const entries = given.map((text, at): readonly [string, unknown] => {
    const [, name = String(at + 1), value = text] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    return [name, readValue(value)];
  });
  return Object.fromEntries(entries);
}

function readValue(text: string): unknown {
  return /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/.test(text) && !isRounded(text)
    ? JSON.parse(text)
    : text;
}

function isRounded(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}
