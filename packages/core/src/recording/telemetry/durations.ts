import { type AttributeValues, cumulative, toAttributes, toNanoseconds } from './otlp-json.ts';

interface Series {
  attributes: AttributeValues;
  counts: number[];
  sum: number;
  min: number;
  max: number;
}

interface DurationOptions {
  name: string;
  description: string;
  /** Upper bounds in seconds. */
  bounds: readonly number[];
}

/** Series beyond these are counted in one without attributes. */
const maxSeries = 500;

/** A histogram of durations, one series for each set of attributes. */
export class Durations {
  readonly #options: DurationOptions;
  readonly #startedAt = Date.now();
  readonly #series = new Map<string, Series>();

  constructor(options: DurationOptions) {
    this.#options = options;
  }

  add(milliseconds: number, attributes: AttributeValues): void {
    const seconds = milliseconds / 1_000;
    const series = this.#find(attributes);
    const found = this.#options.bounds.findIndex((bound) => seconds <= bound);
    const bucket = found < 0 ? this.#options.bounds.length : found;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
    series.min = Math.min(series.min, seconds);
    series.max = Math.max(series.max, seconds);
  }

  /** The metric as it is now; undefined before the first value. */
  collect() {
    if (this.#series.size === 0) return undefined;
    const { name, description, bounds } = this.#options;
    const timeUnixNano = toNanoseconds(Date.now());
    const dataPoints = [...this.#series.values()].map(({ attributes, counts, sum, min, max }) => ({
      attributes: toAttributes(attributes),
      startTimeUnixNano: toNanoseconds(this.#startedAt),
      timeUnixNano,
      count: `${counts.reduce((total, count) => total + count, 0)}`,
      sum,
      min,
      max,
      bucketCounts: counts.map(String),
      explicitBounds: [...bounds],
    }));
    return { name, description, unit: 's', histogram: { aggregationTemporality: cumulative, dataPoints } };
  }

  #find(attributes: AttributeValues): Series {
    const key = JSON.stringify(attributes);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const isFull = this.#series.size >= maxSeries && key !== overflowKey;
    if (isFull) return this.#find(overflow);
    const counts = Array.from({ length: this.#options.bounds.length + 1 }, () => 0);
    const series = { attributes, counts, sum: 0, min: Number.POSITIVE_INFINITY, max: 0 };
    this.#series.set(key, series);
    return series;
  }
}

/** What the specification calls a series of all that were too many. */
const overflow: AttributeValues = { 'otel.metric.overflow': 'true' };
const overflowKey = JSON.stringify(overflow);
