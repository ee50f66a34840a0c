/** Lines of a log over two hours, with patterns that begin or end in the middle of it. */

export const start = Date.parse('2026-11-20T08:00:00Z');
const minute = 60_000;
export const middle = new Date(start + 60 * minute).toISOString();
export const end = new Date(start + 120 * minute).toISOString();

interface Template {
  readonly weight: number;
  readonly level: string;
  format(random: Random): string;
}

type Random = (below: number) => number;

const modules = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'juliett', 'kilo', 'lima'];

const templates: readonly Template[] = [
  {
    weight: 300,
    level: 'INFO',
    format: (int) => `GET /api/orders/${int(1e6)} HTTP/1.1 ${[200, 304, 404][int(3)]} ${int(9_000)}ms`,
  },
  { weight: 200, level: 'INFO', format: (int) => `user ${name(int)} logged in from 10.${int(255)}.${int(255)}.${int(255)}` },
  { weight: 100, level: 'DEBUG', format: (int) => `cache hit for key session:${int(1e9).toString(16)} in ${int(20)} ms` },
  { weight: 100, level: 'INFO', format: (int) => `payment ${int(1e8)} accepted by issuer ${['visa', 'amex', 'mc'][int(3)]}` },
  { weight: 30, level: 'WARN', format: (int) => `slow query took ${int(9_000)} ms: select * from orders where id = ${int(1e6)}` },
  {
    weight: 10,
    level: 'ERROR',
    format: (int) => `connection to db-${int(4)}.internal:5432 failed: timeout after ${int(3_000)} ms`,
  },
  ...modules.map((module) => ({
    weight: 4,
    level: 'INFO',
    format: (int: Random) =>
      `component ${module} changed its state to ${['up', 'ready', 'idle'][int(3)]}, generation ${int(1e6)}`,
  })),
];

/** Patterns that are in one half only, with the number of their lines. */
const planted = {
  new: [
    { count: 20, level: 'ERROR', format: (int: Random) => `payment ${int(1e8)} declined by the issuer: insufficient funds` },
    { count: 7, level: 'FATAL', format: (int: Random) => `out of memory: killed process ${int(30_000)} (java)` },
    { count: 3, level: 'ERROR', format: (int: Random) => `certificate of gateway.internal expired ${int(30)} days ago` },
  ],
  gone: [{ count: 25, level: 'INFO', format: (int: Random) => `nightly backup chunk ${int(1e5)} uploaded to bucket archive` }],
} as const;

/** Bodies of bulk requests. The same number of lines is always the same stream. */
export function* writeBulks(count: number, perBulk = 10_000): Generator<string> {
  const lines = listLines(count);
  for (let from = 0; from < count; from += perBulk) {
    const part = lines.slice(from, from + perBulk);
    yield part.map((line) => `{"index":{}}\n${JSON.stringify(line)}\n`).join('');
  }
}

interface Line {
  '@timestamp': string;
  log: { level: string };
  message: string;
}

function listLines(count: number): Line[] {
  const random = createRandom();
  const sum = templates.reduce((total, { weight }) => total + weight, 0);
  const lines = Array.from({ length: count }, (_, at) => toLine(at / count, pickTemplate(random, sum), random));
  const half = count / 2;
  for (const [from, list] of [
    [half, planted.new],
    [0, planted.gone],
  ] as const) {
    for (const [at, template] of list.entries()) {
      // Each has places of its own, so that none replaces another one.
      for (let one = 0; one < template.count; one++) {
        const place = from + Math.floor((half * (one + 1)) / (template.count + 2)) + at;
        lines[place] = toLine(place / count, template, random);
      }
    }
  }
  return lines;
}

function toLine(share: number, { level, format }: Pick<Template, 'level' | 'format'>, random: Random): Line {
  return { '@timestamp': new Date(start + share * 120 * minute).toISOString(), log: { level }, message: format(random) };
}

function pickTemplate(random: Random, sum: number): Template {
  let left = random(sum);
  for (const template of templates) {
    left -= template.weight;
    if (left < 0) return template;
  }
  throw new RangeError('the weights are not what they add up to');
}

function name(int: Random): string {
  return Array.from({ length: 6 }, () => String.fromCharCode(97 + int(26))).join('');
}

function createRandom(): Random {
  let state = 42;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
