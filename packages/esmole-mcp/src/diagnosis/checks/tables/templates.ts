import type { Finding } from '@dbmole/core';
import { textAt, valueAt } from '../../../call/answer-failure.ts';
import { formatNames } from '../../../indices/name-pattern.ts';
import type { CheckRun } from '../../check-run.ts';
import { type IndexFacts, listEntries, listRows } from '../../read-facts.ts';

interface Template {
  name: string;
  patterns: readonly string[];
  /** Component templates, of which it may ignore missing ones. */
  parts: readonly string[];
  /** Made by the product itself. */
  isManaged: boolean;
}

const maxNames = 5;

/** Templates that are not applied, or only in part. They belong to the whole cluster. */
export async function checkTemplates(run: CheckRun, facts: readonly IndexFacts[]): Promise<Finding[]> {
  if (run.index !== undefined || run.call.lease.backend.rules.indices !== undefined) return [];
  const inner = 'index_templates.index_template';
  const [composed, old, components] = await Promise.all([
    run.readIfAllowed('Templates', {
      path: '/_index_template',
      params: {
        filter_path: `index_templates.name,${inner}.index_patterns,${inner}.composed_of,${inner}._meta.managed`,
      },
    }),
    run.readIfAllowed('Old templates', { path: '/_template', params: { filter_path: '*.index_patterns' } }),
    run.readIfAllowed('Component templates', {
      path: '/_component_template',
      params: { filter_path: 'component_templates.name,component_templates.component_template._meta.managed' },
    }),
  ]);
  const templates = listRows(valueAt(composed, ['index_templates'])).map(readTemplate);
  const own = templates.filter(isOwn);
  const legacy = listEntries(old)
    .map(([name, one]) => ({ name, patterns: listTexts(valueAt(one, ['index_patterns'])), parts: [], isManaged: false }))
    .filter(isOwn);
  const parts = listRows(valueAt(components, ['component_templates'])).map((row) => ({
    name: String(row.name),
    isManaged: valueAt(row, ['component_template', '_meta', 'managed']) === true,
  }));
  const seesAll = (await run.describeHidden('monitor')) === undefined;
  return [
    ...legacy.flatMap((one) => judgeShadowed(one, templates)),
    ...(components === undefined ? [] : judgeMissing(own, new Set(parts.map(({ name }) => name)))),
    ...(seesAll ? judgeUnused('index template', '_index_template', own.filter(isUnusedBy(facts))) : []),
    ...(seesAll ? judgeUnused('old template', '_template', legacy.filter(isUnusedBy(facts))) : []),
    ...judgeUnused('component template', '_component_template', parts.filter(isOwn).filter(isOutside(templates))),
  ];
}

function readTemplate(row: Record<string, unknown>): Template {
  const template = valueAt(row, ['index_template']);
  return {
    name: textAt(row, ['name']) ?? '',
    patterns: listTexts(valueAt(template, ['index_patterns'])),
    parts: listTexts(valueAt(template, ['composed_of'])),
    isManaged: valueAt(template, ['_meta', 'managed']) === true,
  };
}

function listTexts(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === 'string');
}

function isOwn({ name, isManaged }: Pick<Template, 'name' | 'isManaged'>): boolean {
  return !isManaged && !name.startsWith('.');
}

/** Whether a pattern with `*` matches a name, or covers another pattern. */
function covers(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** `.ds-logs-app-2026.01.31-000001` belongs to the data stream `logs-app`. */
function readCreatedName({ name }: IndexFacts): string {
  return /^\.ds-(.{1,255})-\d{4}\.\d\d\.\d\d-\d{6}$/.exec(name)?.[1] ?? name;
}

function isUnusedBy(facts: readonly IndexFacts[]) {
  const names = facts.map(readCreatedName);
  return ({ patterns }: Template) => !patterns.some((pattern) => names.some((name) => covers(pattern, name)));
}

function isOutside(templates: readonly Template[]) {
  const used = new Set(templates.flatMap(({ parts }) => parts));
  return ({ name }: Pick<Template, 'name'>) => !used.has(name);
}

function judgeShadowed({ name, patterns }: Template, templates: readonly Template[]): Finding[] {
  const winner = templates.find((one) => patterns.every((own) => one.patterns.some((other) => covers(other, own))));
  if (winner === undefined) return [];
  return [
    {
      severity: 'medium',
      weight: 1,
      evidence: `the old template ${name} (${patterns.join(', ')}) is never applied: the index template ${winner.name} (${winner.patterns.join(', ')}) matches the same names`,
      consequence: 'New indices lack its settings, mappings and aliases.',
      next: `GET /_template/${encodeURIComponent(name)} shows what it has; move what is needed into ${winner.name}, then DELETE /_template/${encodeURIComponent(name)}`,
    },
  ];
}

function judgeMissing(templates: readonly Template[], known: ReadonlySet<string>): Finding[] {
  return templates.flatMap(({ name, parts }): Finding[] => {
    const missing = parts.filter((part) => !known.has(part));
    if (missing.length === 0) return [];
    return [
      {
        severity: 'medium',
        weight: missing.length,
        evidence: `the index template ${name} is composed of ${formatNames(missing, maxNames)}, which does not exist`,
        consequence: 'New indices lack the settings and mappings that it should have, without an error.',
        next: `GET /_index_template/${encodeURIComponent(name)} shows the rest; PUT /_component_template/${encodeURIComponent(missing[0] ?? '')} with a body creates it.`,
      },
    ];
  });
}

function judgeUnused(kind: string, path: string, unused: readonly Pick<Template, 'name'>[]): Finding[] {
  const names = unused.map(({ name }) => name);
  const [first] = names;
  if (first === undefined) return [];
  const isPart = kind === 'component template';
  return [
    {
      severity: 'low',
      weight: 0,
      evidence: `${names.length === 1 ? `1 ${kind}` : `${names.length} ${kind}s`} ${isPart ? 'no index template uses' : 'no index matches'}: ${formatNames(names, maxNames)}`,
      consequence: isPart
        ? 'It does nothing, or an index template lacks it.'
        : 'It does nothing; its pattern may have a typing error, so that new indices lack its settings and mappings.',
      next: `GET /${path}/${encodeURIComponent(first)} shows it; delete it if nothing will use it.`,
    },
  ];
}
