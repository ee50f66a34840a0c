const step = /^\s*-> /;
/** The number of rows of a limit is that of the statement. */
const limit = /^\s*-> Limit(?:\/Offset)?: [\d/]+ row/;

/** A plan without the constants of its conditions, which may be values that the engine read in a table. */
export function redactPlan(plan: string): string {
  return plan.trimStart().startsWith('{') ? redactJson(plan) : redactTree(plan);
}

function redactJson(plan: string): string {
  try {
    return JSON.stringify(redactNode(JSON.parse(plan), ''), undefined, 2);
  } catch {
    return '***';
  }
}

const numeric = /^[\d.e+]+[KMG]?$/;
const numericKeys = /cost|length|time|data_read/;

function redactNode(node: unknown, key: string): unknown {
  if (typeof node === 'string') return numericKeys.test(key) && numeric.test(node) ? node : redactText(node);
  if (Array.isArray(node)) return node.map((item) => redactNode(item, key));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [redactText(name), redactNode(value, name)]));
}

/**
 * One step in each line. The engine shows texts as they are, so a text may hold lines that look like steps: behind the first one, only what
 * kinds of steps there are is kept.
 */
function redactTree(plan: string): string {
  const lines = plan.trimEnd().split('\n');
  const first = lines.findIndex((line) => /['"]/.test(line));
  const sure = first < 0 ? lines : lines.slice(0, first);
  const behind = first < 0 ? [] : lines.slice(first);
  const shown = behind.length === 1 ? behind.map(redactStep) : behind.flatMap((line) => stepKind.exec(line)?.[0] ?? []);
  return [...sure.filter((line) => step.test(line)).map(redactStep), ...shown].join('\n');
}

/** The beginning of a step, in the engine's own words. */
const stepKind =
  /^(?: {4}){0,20}-> (?:Table scan|(?:Covering )?[Ii]ndex (?:range )?(?:scan|lookup)|Single-row (?:covering )?index lookup|Multi-range index lookup|Full-text index search|Filter|Nested loop (?:inner join|left join|antijoin|semijoin)|(?:Inner|Left) hash join|Hash(?: antijoin| semijoin)?|Sort|(?:Group )?[Aa]ggregate|Group|Limit|(?:Union )?[Mm]aterialize|Temporary table|Append|Stream results|Window aggregate|Select #\d|Rows fetched before execution|Zero rows|Index merge|Remove duplicates|Repeat until convergence)/;

function redactStep(line: string): string {
  if (limit.test(line) && !line.includes("'")) return line;
  const tail = readFigures(line);
  return redactText(line.slice(0, line.length - tail.length)) + tail;
}

const figure = /^(?:(?:cost|time|rows|loops)=[\d.e+]{1,60}|actual|never|executed)$/;

/** The figures at the end of a step: `(cost=1.61 rows=3) (actual time=0.01..0.02 rows=3 loops=1)`. */
function readFigures(line: string): string {
  let end = line.trimEnd().length;
  for (;;) {
    const open = line.lastIndexOf('(', end - 1);
    const isGroup = open > 0 && line.charAt(end - 1) === ')';
    const words = isGroup ? line.slice(open + 1, end - 1).split(' ') : [];
    if (!isGroup || !words.every((word) => figure.test(word))) return line.slice(end);
    end = line.slice(0, open).trimEnd().length;
  }
}

/** A number that is not a part of a name, nor that of a query, as `#2` is. */
const number = /(?<![\w$.`#\u0080-\uffff])-?\.?\d[\w.+]*/g;

/** Drops all from the first text on, because what it contains may look like its end. */
function redactText(text: string): string {
  const quote = text.search(/['"]/);
  const shown = (quote < 0 ? text : text.slice(0, quote)).replaceAll(number, '***');
  if (quote < 0) return shown;
  const open = shown.split('(').length - shown.split(')').length;
  return `${shown}'***'${')'.repeat(Math.max(open, 0))}`;
}
