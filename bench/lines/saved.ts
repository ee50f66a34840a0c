import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchOptions, type Line, type Measured, medianOf } from '../line.ts';
import { type Program, programFile } from '../start-rounds.ts';
import { sampleStart } from '../start-sample.ts';

const count = 50;

const dbmoleFile = (index: number) => `-- tool: orders_of_${index}
-- description: Orders of one customer, newest first, with their totals.
-- when: the user asks what a customer bought, or how much they spent
-- param customer_id integer: id of the customer. Example: 42
-- param since date = 2025-01-01: first day
-- param status one of pending, paid, shipped optional: only these
-- timeout: 5s
-- limit: 50
select id, placed_at, total from orders
where customer_id = :customer_id and placed_at >= :since and (:status is null or status = :status)
order by placed_at desc
`;

const esmoleFile = (index: number) => `# tool: errors_of_${index}
# description: Errors of one service, newest first.
# param service text: name of the service. Example: checkout
# param since timestamp = 2025-01-01T00:00:00Z: first moment
# param env one of prod, stage = prod: which logs
POST /logs-{{env}}/_search
{ "size": 20, "query": { "bool": { "filter": [
  { "term": { "service.name": "{{service}}" } }, { "range": { "@timestamp": { "gte": "{{since}}" } } }
] } } }
`;

/** What fifty files of saved queries add to a start, beside the same start without them. */
export const savedLines: readonly Line[] = [
  {
    name: `dbmole-mcp start with ${count} saved queries`,
    goal: 1.6,
    unit: 'x',
    measure: (options) => compare('dbmole-mcp', options),
  },
  {
    name: `esmole-mcp start with ${count} saved queries`,
    goal: 1.6,
    unit: 'x',
    measure: (options) => compare('esmole-mcp', options),
  },
];

async function compare(program: Exclude<Program, 'floor'>, { runs, node }: BenchOptions): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'mole-bench-'));
  try {
    for (let i = 0; i < count; i++) {
      const isSql = program === 'dbmole-mcp';
      writeFileSync(join(folder, `q${i}.${isSql ? 'sql' : 'http'}`), isSql ? dbmoleFile(i) : esmoleFile(i));
    }
    const sample = (args: readonly string[]) => sampleStart(node, programFile(program), 'legacy', args);
    const rounds: { plain: number; saved: number; added: number }[] = [];
    for (let run = 0; run <= runs; run += 1) {
      const [plain, saved] = [await sample([]), await sample(['--queries', folder])];
      // The first round fills the caches of the file system.
      if (run > 0) rounds.push({ plain: plain.ms, saved: saved.ms, added: saved.listBytes - plain.listBytes });
    }
    return {
      value: medianOf(rounds.map(({ plain, saved }) => saved / plain)),
      details: {
        plainMs: medianOf(rounds.map(({ plain }) => plain)),
        savedMs: medianOf(rounds.map(({ saved }) => saved)),
        addedBytes: medianOf(rounds.map(({ added }) => added)),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
