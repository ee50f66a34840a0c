/** Twelve fields of the kinds that an index of orders has. */
export function order(id: number): Record<string, unknown> {
  const day = String((id % 28) + 1).padStart(2, '0');
  return {
    order_no: `A-${100_000 + id}`,
    status: ['paid', 'open', 'shipped'][id % 3],
    customer: `customer ${id % 500}`,
    email: `customer${id % 500}@example.org`,
    city: ['Berlin', 'Paris', 'Madrid', 'Rome'][id % 4],
    country: ['DE', 'FR', 'ES', 'IT'][id % 4],
    total: Math.round(id * 13.7) / 10,
    items: (id % 9) + 1,
    paid: id % 3 === 0,
    created_at: `2026-03-${day}T10:00:00Z`,
    channel: ['web', 'shop', 'phone'][id % 3],
    note: `order number ${id} of this year`,
  };
}

export const orderFields = Object.keys(order(0));

const kinds: readonly object[] = [
  { type: 'keyword' },
  { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
  { type: 'date' },
  { type: 'long' },
  { type: 'double' },
  { type: 'boolean' },
];

/** Two objects among 18 fields; of 1,000, names as a program makes them. */
export const smallMapping = {
  properties: {
    ...Object.fromEntries(
      'id status title created_at quantity price active sku tags updated_at'.split(' ').map((name, at) => [name, kinds[at % 6]]),
    ),
    customer: { properties: Object.fromEntries('id name email city'.split(' ').map((name, at) => [name, kinds[at % 3]])) },
    shipping: { properties: Object.fromEntries('street zip country cost'.split(' ').map((name, at) => [name, kinds[at % 2]])) },
  },
};

export const largeMapping = {
  properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`field_${at}`, kinds[at % 6]])),
};

/** Three series of a hundred days, and six that stand alone. */
export const manyIndices: readonly string[] = [
  ...['web', 'api', 'worker'].flatMap((app) =>
    Array.from(
      { length: 100 },
      (_, at) => `logs-${app}-${new Date(Date.UTC(2026, 0, at + 1)).toISOString().slice(0, 10).replaceAll('-', '.')}`,
    ),
  ),
  ...['orders', 'customers', 'products', 'carts', 'reviews', 'sessions'].map((name) => `shop-${name}`),
];

/** Each word once, so that a search with many clauses has to walk through nearly all of them. */
export function slowSearch(): object {
  const word = randomWords();
  const should = Array.from({ length: 1_000 }, () => ({ range: { word: { gte: `a${word(3)}`, lt: `z${word(3)}` } } }));
  return { bool: { should } };
}

export function slowDocument(word: (length: number) => string): object {
  return { word: Array.from({ length: 12 }, () => word(8)) };
}

/** The same in every run. */
export function randomWords(): (length: number) => string {
  let state = 7;
  const letter = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return String.fromCharCode(97 + ((state >> 16) % 26));
  };
  return (length) => Array.from({ length }, letter).join('');
}
