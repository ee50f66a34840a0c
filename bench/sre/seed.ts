import { randomWords, slowDocument } from '../rigs/es-seed.ts';
import { messages, newMessages } from './messages.ts';

/** Sends a request to the node and returns its JSON. */
export type Raw = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => Promise<unknown>;

const services = ['auth', 'cart', 'checkout', 'search'];
const paths = ['/', '/login', '/cart', '/cart/items', '/pay', '/search', '/images/logo.png', '/api/v1/orders'];
export const days = Array.from({ length: 30 }, (_, at) => `2026.09.${String(at + 1).padStart(2, '0')}`);
/** The days on which a client wrote the number of its tenant where the others write its name. */
export const conflictDays: readonly string[] = [days[6], days[13], days[20]].flatMap((day) => day ?? []);
const documentsADay = 300;
export const documentsOnLastDay = 5_000;
export const auditDays = days.slice(0, 8);

function pick(list: readonly string[], share: number): string {
  return list[Math.floor(share * list.length)] ?? '';
}

/** Numbers that look random and are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What an agent meets: a month of daily indices under a template of a thousand fields, with the troubles that the tasks ask for. */
export async function seedCluster(raw: Raw): Promise<void> {
  await raw('PUT', '/_index_template/web', { index_patterns: ['web-*'], template: { settings: daily, mappings: webMapping() } });
  await raw('PUT', '/_index_template/audit', { index_patterns: ['audit-*'], template: { settings: daily } });
  const random = createRandom(7);
  for (const day of conflictDays)
    await raw('PUT', `/web-${day}`, { mappings: { properties: { labels: { properties: { tenant: { type: 'long' } } } } } });
  for (const [at, day] of days.entries()) await seedDay(raw, day, at, random);
  for (const [at, day] of auditDays.entries()) {
    const lines = Array.from({ length: 50 * 2 ** at }, (_, n) => ({
      user: `user${n % 50}`,
      action: 'login',
      detail: 'x'.repeat(200),
    }));
    await bulk(raw, `audit-${day}`, lines);
  }
  await raw('PUT', '/blobs', { settings: { number_of_replicas: 0 } });
  await raw('PUT', '/blobs/_doc/1?refresh=true', { title: 'the large one', kind: 'dump', text: 'x'.repeat(8_000_000) });
  await raw('PUT', '/copies', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  const word = randomWords();
  await raw('PUT', '/slow', { settings: daily, mappings: { properties: { word: { type: 'keyword' } } } });
  await bulk(
    raw,
    'slow',
    Array.from({ length: 20_000 }, () => slowDocument(word)),
  );
}

const daily = { number_of_shards: 1, number_of_replicas: 0, 'index.mapping.total_fields.limit': 3_000 };

function webMapping(): object {
  const keyword = { type: 'keyword', ignore_above: 1_024 };
  const groups = ['client', 'cloud', 'container', 'dns', 'file', 'geo', 'host', 'kubernetes', 'network', 'process', 'threat'];
  const unused = Object.fromEntries(
    groups.map((group) => [
      group,
      { properties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field_${n}`, keyword])) },
    ]),
  );
  return {
    properties: {
      '@timestamp': { type: 'date' },
      message: { type: 'text' },
      log: { properties: { level: keyword } },
      service: { properties: { name: keyword } },
      url: { properties: { path: keyword } },
      http: { properties: { status: { type: 'short' }, bytes: { type: 'long' } } },
      event: { properties: { duration: { type: 'double' }, sequence: { type: 'long' } } },
      labels: { properties: { tenant: keyword } },
      ...unused,
    },
  };
}

async function seedDay(raw: Raw, day: string, at: number, random: () => number): Promise<void> {
  const isLast = at === days.length - 1;
  const count = isLast ? documentsOnLastDay : documentsADay;
  const start = Date.parse(`${day.replaceAll('.', '-')}T00:00:00Z`);
  const documents = Array.from({ length: count }, (_, n) => {
    const share = n / count;
    const time = start + Math.floor(share * 86_400_000);
    const service = pick(services, random());
    const isNew = isLast && share > 10 / 24 && random() < 0.02;
    const status = random() < 0.05 ? 503 : random() < 0.1 ? 404 : 200;
    const list = isNew ? newMessages : messages;
    return {
      '@timestamp': new Date(time).toISOString(),
      message: list[n % list.length]?.(n),
      log: { level: isNew || status === 503 ? 'ERROR' : 'INFO' },
      service: { name: service },
      url: { path: pick(paths, random() * random()) },
      http: { status, bytes: Math.floor(random() * 20_000) },
      event: { duration: Math.round(random() * (service === 'checkout' ? 900_000 : 200_000)) / 1_000, sequence: 2 ** 53 + n * 2 },
      labels: { tenant: conflictDays.includes(day) ? n % 7 : `tenant-${n % 7}` },
    };
  });
  await bulk(raw, `web-${day}`, documents);
}

async function bulk(raw: Raw, index: string, all: readonly object[]): Promise<void> {
  const lines = all.map((one, id) => `{"index":{"_id":"${id}"}}\n${JSON.stringify(one)}\n`);
  await raw('POST', `/${index}/_bulk?refresh=true&filter_path=errors`, lines.join(''));
}
