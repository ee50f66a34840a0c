import * as words from '../sample-words.ts';
import { pick, pickWord } from './pick.ts';

/** A value of SQLite. */
export type Value = string | number | null;

const dayMs = 86_400_000;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const counts = { customers: 2_000, products: 200, orders: 10_000 };

/** The tables, in the order of their first rows. */
export type Table = 'customers' | 'products' | 'orders' | 'order_items';

/**
 * Makes the rows of the sample shop, as PostgreSQL has them: `days` moves them, so that the last order is of yesterday. Rows are passed on one
 * by one, because to keep them all takes longer than to make them.
 */
export function makeShop(days: number, insert: (table: Table, row: readonly Value[]) => void): void {
  const shift = days * dayMs;
  const customers = listRows(counts.customers, (i) => makeCustomer(i, shift));
  const products = listRows(counts.products, (i) => makeProduct(i, shift));
  for (const row of customers) insert('customers', row);
  for (const row of products) insert('products', row);
  for (let order = 1; order <= counts.orders; order += 1) {
    const lines = makeItems(order, products);
    let amount = 0;
    for (const line of lines) amount += line.amount;
    insert('orders', makeOrder(order, { shift, customers, total: Math.floor((amount + 500) / 1_000) / 100 }));
    for (const { row } of lines) insert('order_items', row);
  }
  for (const row of lostItems) insert('order_items', row);
}

/** Lines of orders that are gone: one of the defects for `diagnose`. */
const lostItems: readonly Value[][] = [
  [10_003, 1, 17, 1, 19.9, 0],
  [10_003, 2, 41, 2, 7.9, 0],
  [10_007, 1, 88, 1, 34.9, 10],
];

function listRows(count: number, make: (i: number) => Value[]): Value[][] {
  return Array.from({ length: count }, (_, at) => make(at + 1));
}

function makeSentences(i: number, salt: number, count: number): string {
  return Array.from({ length: count }, (_, at) => pickWord(i * 1_000 + at + 1, salt, words.sentences)).join(' ');
}

const plain: Readonly<Record<string, string>> = {
  ...{ é: 'e', ê: 'e', ë: 'e', ü: 'u', í: 'i', ø: 'o', ó: 'o', ß: 's', ı: 'i', "'": '', ' ': '' },
};

function makeCustomer(i: number, shift: number): Value[] {
  const first = pickWord(i, 1, words.firstNames);
  const last = pickWord(i, 2, words.lastNames);
  const [country = '', city = '', language = ''] = (words.homes[Math.min(pick(i, 3, 12), pick(i, 33, 12))] ?? '').split('|');
  const account = [...`${first}.${last}`.toLowerCase()].map((letter) => plain[letter] ?? letter).join('');
  const channels = [['mail'], ['mail', 'sms'], undefined][pick(i, 12, 3)];
  const created = Date.UTC(2022, 0, 3, 8) + shift + i * (13 * hourMs + 7 * minuteMs) + pick(i, 16, 3_600) * secondMs;
  return [
    i,
    `${account}${i}@${pickWord(i, 4, words.mailHosts)}`,
    `${first} ${last}`,
    country,
    city,
    pick(i, 5, 3) > 0 ? `+${30 + pick(i, 6, 20)} ${1_000_000 + pick(i, 7, 8_999_999)}` : null,
    pick(i, 8, 4) > 0 ? formatDay(Date.UTC(1950, 0, 1) + pick(i, 9, 20_000) * dayMs) : null,
    pick(i, 10, 3) === 0 ? 1 : 0,
    JSON.stringify({ language, theme: pickWord(i, 11, words.themes), channels }),
    makeNotes(i),
    formatTime(created),
  ];
}

function makeNotes(i: number): string | null {
  if (i % 97 === 0) return '';
  return pick(i, 13, 9) === 0 ? makeSentences(i, 14, 1 + pick(i, 15, 4)) : null;
}

/** Where the price is in the row of a product, for the lines of orders. */
const priceAt = 7;

function makeProduct(i: number, shift: number): Value[] {
  const [thing = '', category = ''] = (words.kinds[i % 8] ?? '').split('|');
  const color = pickWord(i, 20, words.colors);
  const material = pickWord(i, 21, words.materials);
  const cents = Math.floor(4 + (pick(i, 22, 90) * pick(i, 41, 90)) / 40 + 0.5) * 100 + 90;
  const tags = [category, material, ...(cents < 1_500 ? ['bargain'] : []), ...(i > 180 ? ['new'] : [])];
  const { sizes, box } = makeSizes(i);
  return [
    i,
    `${category.slice(0, 3).toUpperCase()}-${String(i).padStart(4, '0')}`,
    `${toTitle(color)} ${toTitle(material)} ${toTitle(thing)} No. ${i}`,
    category,
    pickWord(i, 23, words.brands),
    makeSentences(i, 24, 2 + pick(i, 25, 6)),
    i % 10 === 0 ? makeSentences(i, 26, 60 + pick(i, 27, 40)) : null,
    cents / 100,
    Math.floor((cents * (40 + pick(i, 28, 35)) + 50) / 100) / 100,
    20,
    ...makeStock(i),
    color,
    material,
    [null, 'S', 'M', 'L'][pick(i, 34, 4)] ?? null,
    ...sizes,
    ...makeRating(i),
    i % 23 > 0 ? 1 : 0,
    material === 'glass' || material === 'ceramic' ? 1 : 0,
    pick(i, 37, 3) === 0 ? 1 : 0,
    pickWord(i, 38, words.origins),
    JSON.stringify([...new Set(tags)].toSorted()),
    JSON.stringify({ care: pickWord(i, 39, words.care), parts: 1 + pick(i, 40, 5), box }),
    formatDay(Date.UTC(2021, 2, 1) + shift + i * 9 * dayMs),
    i % 23 === 0 ? formatDay(Date.UTC(2026, 0, 31) + shift) : null,
    new Date(Date.UTC(2026, 5, 1, 6, 30) + shift + i * (3 * minuteMs + 7_125)).toISOString().slice(0, -1).replace('T', ' '),
  ];
}

/** What is there of it, and where it comes from. */
function makeStock(i: number): Value[] {
  const stock = pick(i, 42, 400);
  return [
    stock,
    Math.floor(stock / 7),
    5 + pick(i, 29, 4) * 5,
    pickWord(i, 30, words.suppliers),
    i % 4 > 0 ? `S${100_000 + pick(i, 31, 900_000)}` : null,
    `40${String(pick(i, 32, 999_999_999)).padStart(9, '0')}${String(i % 100).padStart(2, '0')}`,
  ];
}

/** Its weight, measures and volume, and the measures of its box. */
function makeSizes(i: number) {
  const [width, height, depth] = [40 + pick(i, 44, 600), 30 + pick(i, 45, 500), 20 + pick(i, 46, 400)];
  const volume = width * height * depth;
  return {
    sizes: [Math.floor(volume / 9_000) + 50, width, height, depth, volume / 1e6],
    box: { w: width + 20, h: height + 20, d: depth + 20 },
  };
}

/** Its rating, how many rated it, and its warranty. */
function makeRating(i: number): Value[] {
  const rated = Math.max(0, pick(i, 43, 500) - 60);
  return [rated > 0 ? (250 + pick(i, 35, 250)) / 100 : null, rated, [12, 24, 24, 60][pick(i, 36, 4)] ?? 24];
}

interface Item {
  row: Value[];
  /** The unit is a thousandth of a cent. */
  amount: number;
}

function makeItems(order: number, products: readonly Value[][]): Item[] {
  const lines = 1 + Math.min(pick(order, 50, 4), pick(order, 56, 5));
  return Array.from({ length: lines }, (_, at) => {
    const line = at + 1;
    const key = order * 8 + line;
    const product = 1 + Math.min(pick(key, 51, 200), pick(key, 57, 200));
    const quantity = 1 + pick(key, 52, 3) * pick(key, 53, 2);
    const price = Number(products[product - 1]?.[priceAt]);
    const discount = pick(key, 54, 8) === 0 ? 10 : pick(order, 55, 40) === 0 ? 12.5 : 0;
    const amount = quantity * Math.round(price * 100) * (1_000 - discount * 10);
    return { row: [order, line, product, quantity, price, discount], amount };
  });
}

interface OrderOptions {
  shift: number;
  customers: readonly Value[][];
  total: number;
}

function makeOrder(i: number, { shift, customers, total }: OrderOptions): Value[] {
  const customer = 1 + Math.min(pick(i, 65, 1_850), pick(i, 66, 1_850));
  const [, , name, country, city] = customers[customer - 1] ?? [];
  const status = pickStatus(i);
  const placed = Date.UTC(2025, 0, 1) + shift + i * (75 * minuteMs + 41 * secondMs);
  const isShipped = status === 'shipped' || status === 'delivered' || status === 'returned';
  const street = `${pickWord(i, 61, words.streets)} ${1 + pick(i, 62, 120)}`;
  return [
    i,
    customer,
    status,
    formatTime(placed),
    isShipped ? formatTime(placed + (9 + pick(i, 60, 80)) * hourMs) : null,
    JSON.stringify({ name, street, city, country }),
    total,
    pick(i, 63, 25) === 0 ? pickWord(i, 64, words.deliveryNotes) : null,
  ];
}

const openStates = ['pending', 'paid'];
const recentStates = ['paid', 'shipped'];

function pickStatus(i: number): string {
  if (pick(i, 67, 30) === 0) return 'cancelled';
  if (i > 9_950) return pickWord(i, 68, openStates);
  if (i > 9_800) return pickWord(i, 69, recentStates);
  return pick(i, 70, 22) === 0 ? 'returned' : 'delivered';
}

function toTitle(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

const knownDays = new Map<number, string>();

function formatDay(ms: number): string {
  const day = Math.floor(ms / dayMs);
  const text = knownDays.get(day) ?? new Date(ms).toISOString().slice(0, 10);
  knownDays.set(day, text);
  return text;
}

/** Much faster than a date of JavaScript, of which there would be 20,000. */
function formatTime(ms: number): string {
  const seconds = Math.floor((ms % dayMs) / secondMs);
  const minutes = Math.floor(seconds / 60);
  return `${formatDay(ms)} ${formatPair(Math.floor(minutes / 60))}:${formatPair(minutes % 60)}:${formatPair(seconds % 60)}`;
}

function formatPair(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}
