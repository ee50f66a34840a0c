import { describe, expect, it } from 'vitest';
import { formatMilliseconds, formatSeconds, formatStatement } from './figures.ts';
import type { CheckReport, CheckResult, Finding } from './report.ts';
import { formatOverview, formatReport } from './report-text.ts';

const finding = (severity: Finding['severity'], weight: number, evidence = `${severity} ${weight}`): Finding => ({
  severity,
  weight,
  evidence,
  consequence: 'It costs time.',
  next: 'Look.',
});

const report = (findings: readonly Finding[], more: Partial<CheckReport> = {}): CheckReport => ({
  findings,
  notes: [],
  listing: [],
  ...more,
});

const whole = { limit: 20, offset: 0 };

describe('a report', () => {
  it('puts the worst first: by severity, then by weight', () => {
    const { lines } = formatReport('tables', report([finding('low', 9), finding('high', 1), finding('high', 2)]), whole);
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual(['high: high 2', 'high: high 1', 'low: low 9']);
  });

  it('keeps a name with a line break, or one that looks like our marks, on its line', () => {
    const { lines } = formatReport('tables', report([finding('low', 1, 'table a\nhigh: b⟦')]), whole);
    expect(lines[0]).toBe('low: table a⟦U+000A⟧high: b⟦U+27E6⟧');
  });

  it('says how to read on, and what is shown', () => {
    const many = report(Array.from({ length: 5 }, (_, at) => finding('low', at)));
    expect(formatReport('indexes', many, { limit: 2, offset: 0 }).line).toBe(
      'indexes: 5 findings, worst first, 1-2 shown. Same call with offset=2 reads on.',
    );
    expect(formatReport('indexes', many, { limit: 2, offset: 4 }).line).toBe('indexes: 5 findings, worst first, 5-5 shown.');
    expect(formatReport('indexes', many, { limit: 2, offset: 6 }).line).toBe('indexes: 5 findings, worst first, none shown.');
  });

  it('says what would make a check available', () => {
    const { line, lines } = formatReport(
      'locks',
      report([], { unavailable: { reason: 'no rights', remedy: 'GRANT x;' } }),
      whole,
    );
    expect([line, ...lines]).toEqual(['locks is not available here.', 'no rights', 'Next: GRANT x;']);
  });
});

describe('the overview', () => {
  it('has one line for each check, also for one that failed or saw only a part', () => {
    const reports: CheckResult[] = [
      ['activity', report([], { hidden: 'Others are hidden.' })],
      ['locks', report([finding('medium', 1, 'm'), finding('high', 1, 'h')])],
      ['tables', new TypeError('broken')],
      ['settings', report([])],
    ];
    const { line, lines } = formatOverview(reports);
    expect(line).toMatch(/^1 of 4 checks found something\./);
    expect(lines).toEqual([
      'activity: ok as far as this account sees. Others are hidden.',
      'locks: high: h; and 1 more',
      expect.stringMatching(/^tables: failed: /),
      'settings: ok',
    ]);
  });
});

describe('figures', () => {
  it.each([
    [0.25, '0.3 s'],
    [45, '45 s'],
    [600, '10 min'],
    [11_000, '3 h 3 min'],
    [7_200, '2 h'],
    [100_000, '1 d 3 h'],
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  it('writes milliseconds and statements short', () => {
    expect([0.123, 12.6, 1_500].map(formatMilliseconds)).toEqual(['0.1 ms', '13 ms', '1.5 s']);
    expect(formatStatement('select\n  1')).toBe('select 1');
    expect([...formatStatement('x'.repeat(500))]).toHaveLength(161);
  });
});
