import { createHash } from 'node:crypto';
import {
  type Approval,
  allowsNoWhere,
  type BaseConnection,
  type Change,
  canonical,
  Failure,
  type FailureCode,
  mustAsk,
  readMaxRows,
  refuseWrite,
} from '@dbmole/core';
import type { WriteRequest } from '../call/cluster-request.ts';
import { formatPath } from '../call/path.ts';
import { findSweep } from './all-documents.ts';
import { type ChangeKind, readChangeKind } from './change-kind.ts';
import { measureChange } from './measure-change.ts';
import { formatCount, type Measured, type Measuring } from './measured.ts';

/** The connection that a write is for, and what measures it. */
export interface WriteSite extends Omit<Measuring, 'request' | 'change'> {
  readonly name: string;
  readonly config: BaseConnection;
  readonly approval: Approval;
}

interface Reason {
  readonly code: FailureCode;
  readonly text: string;
}

/**
 * What a person has to confirm before the write is sent; undefined where nothing has to be, or it was. Throws for what the policy
 * forbids. A confirmed write is measured again first, and asked about again where it would change something else now.
 */
export async function judgeRequest(request: WriteRequest, site: WriteSite): Promise<Change | undefined> {
  const { config, name, approval } = site;
  const change = readChangeKind(request);
  refuseWrite(config, { what: 'request', name, kind: change.kind });
  if (approval.isAnswered) return await checkConfirmed({ request, change, site });
  const reason = approval.mustConfirm ? asked : findReason(request, change, site);
  const maxRows = readMaxRows(config);
  if (reason === undefined && (maxRows === undefined || change.kind === 'ddl')) return undefined;
  const measured = await measureChange({ ...site, request, change });
  const found = reason ?? findLarge(measured, maxRows ?? Number.POSITIVE_INFINITY);
  return found && toChange({ request, change, site }, measured, found);
}

interface Judged {
  request: WriteRequest;
  change: ChangeKind;
  site: WriteSite;
}

const asked: Reason = { code: 'E_APPROVAL_NEEDED', text: 'a person has to confirm the change' };

function findReason(request: WriteRequest, change: ChangeKind, { config, name }: WriteSite): Reason | undefined {
  if (mustAsk(config, change.kind))
    return { code: 'E_APPROVAL_NEEDED', text: `the connection "${name}" wants a person to confirm changes` };
  const sweep = allowsNoWhere(config) ? undefined : findSweep(request, change);
  return sweep === undefined ? undefined : { code: 'E_NO_WHERE', text: `${sweep}, so a person has to confirm it` };
}

function findLarge({ documents }: Measured, maxRows: number): Reason | undefined {
  if (documents !== undefined && documents <= maxRows) return undefined;
  const what = documents === undefined ? 'an unknown number of documents' : formatCount(documents, 'document');
  return { code: 'E_TOO_MANY_ROWS', text: `the request would change ${what}, and this connection allows ${maxRows}` };
}

async function checkConfirmed({ request, change, site }: Judged): Promise<Change | undefined> {
  const state = await site.approval.accept(bind(request, site));
  const measured = await measureChange({ ...site, request, change });
  if (canonical(toCounts(measured)) === canonical(state.counts)) return undefined;
  const next = toChange({ request, change, site }, measured, state.why);
  return { ...next, message: `The counts changed since you confirmed. Before:\n${state.summary}\nNow:\n${next.message}` };
}

/** The confirmation holds for exactly this request, and for the connection as it is defined now. */
function bind({ method, segments, params, body }: WriteRequest, { name, config }: WriteSite): unknown {
  return { connection: name, config, request: { method, segments, params: [...params], body: body ?? null } };
}

/** What was found comes back through the client, so that it is not shown as it is. */
function toCounts({ basis }: Measured): { basis: string } | undefined {
  return basis === undefined ? undefined : { basis: createHash('sha256').update(canonical(basis)).digest('base64url') };
}

function toChange({ request, change, site }: Judged, measured: Measured, { code, text }: Reason): Change {
  const { name, config } = site;
  const { summary, details, documents } = measured;
  const maxRows = readMaxRows(config);
  const isLarge = maxRows !== undefined && documents !== undefined && documents > maxRows;
  const sweep = findSweep(request, change);
  const warnings = [
    ...(sweep === undefined ? [] : [sweep]),
    ...(isLarge ? [`more documents change than "maxRows", which is ${maxRows}`] : []),
  ];
  const head = [`Send this to ${name} (${config.host})?`, ...warnings.map((warning) => `Careful: ${warning}.`)].join('\n');
  const line = `${describeTarget(request)}: ${summary}`;
  return {
    binding: bind(request, site),
    counts: toCounts(measured),
    summary: line,
    message: [head, [line, ...details, ...describeBody(request)].join('\n')].join('\n\n'),
    refusal: new Failure('refused', text, { code, hint: hints[code] }),
  };
}

const hints: Partial<Record<FailureCode, string>> = {
  E_NO_WHERE: 'Use a query that finds the documents.',
  E_TOO_MANY_ROWS:
    'Change fewer documents with each request. Only the user can raise "maxRows", where the connection is defined.',
};

/** Characters of the request that a person reads. */
const maxPath = 1_000;
const maxBody = 2_000;

/** The request as it is sent: its path is made of the same parts. */
function describeTarget({ method, segments, params }: WriteRequest): string {
  const query = [...params].map(([name, value]) => `${name}=${value}`).join('&');
  return `${method} ${shorten(`${formatPath(segments)}${query === '' ? '' : `?${query}`}`, maxPath)}`;
}

function describeBody({ body }: WriteRequest): string[] {
  if (body === undefined || body === '') return [];
  return [shorten(typeof body === 'string' ? body.trimEnd() : JSON.stringify(body), maxBody)];
}

function shorten(text: string, room: number): string {
  return text.length > room ? `${text.slice(0, room)}… (${text.length} characters)` : text;
}
