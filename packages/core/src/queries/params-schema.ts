import * as z from 'zod';
import type { QueryParam } from './param-line.ts';
import { describeParamType, formatParamForm, formatParamType, readParamValue } from './param-type.ts';

/** The fields of a tool's arguments for these parameters. Each checks its value and leaves it as `readParams` finds it. */
export function createParamShape(params: readonly QueryParam[]): Record<string, z.ZodType> {
  return Object.fromEntries(params.map((param) => [param.name, createField(param)]));
}

function createField(param: QueryParam): z.ZodType {
  const { type, pattern, isRequired, fallback, examples } = param;
  const form = `expected ${formatParamForm(type, pattern)}`;
  const description = [param.description, describeForm(param)].filter((text) => text !== '').join(' ');
  const field = z
    .unknown()
    .refine((value) => (value === undefined && !isRequired) || readParam(param, value) !== undefined, form)
    .meta({
      ...describeParamType(type),
      ...(description === '' ? {} : { description }),
      ...(fallback === null ? {} : { default: fallback }),
      ...(examples.length === 0 ? {} : { examples }),
    });
  return isRequired ? field : field.optional();
}

/** Clients are shown no format of a text, so where no value shows what is meant, the description says it. */
function describeForm({ type, fallback, examples }: QueryParam): string {
  if (fallback !== null || examples.length > 0) return '';
  if (type.kind === 'date') return '(YYYY-MM-DD)';
  if (type.kind === 'native') return `(${formatParamType(type)})`;
  return type.kind === 'timestamp' ? '(YYYY-MM-DDThh:mm:ss)' : '';
}

/** The value of one parameter as it is bound; undefined where it is not accepted. */
function readParam({ type, pattern }: QueryParam, value: unknown): unknown {
  const read = readParamValue(type, value);
  if (read === undefined || pattern === undefined) return read;
  const text = String(read);
  return text.length <= maxPathValue && pattern.test(text) ? read : undefined;
}

/** A value with a pattern goes into a path, and a longer text could keep a pattern busy. */
const maxPathValue = 200;

/** What is bound: the accepted values, defaults, and null for an optional parameter that was not passed. */
export function readParams(params: readonly QueryParam[], args: Readonly<Record<string, unknown>>): Map<string, unknown> {
  return new Map(
    params.map((param) => {
      const given = Object.hasOwn(args, param.name) ? args[param.name] : undefined;
      return [param.name, given === undefined ? param.fallback : readParam(param, given)];
    }),
  );
}

/** Values to check a query with: the example, the default, or one that its type accepts. */
export function sampleParams(params: readonly QueryParam[]): Map<string, unknown> {
  return new Map(params.map((param) => [param.name, param.examples[0] ?? param.fallback ?? sampleValue(param)]));
}

function sampleValue({ type }: QueryParam): unknown {
  if (type.kind === 'choice') return type.choices?.[0] ?? null;
  const samples = { integer: 1, number: 1.5, text: 'text', boolean: true, date: '2025-01-31' };
  const others = { timestamp: '2025-01-31T13:45:00', uuid: '6f9619ff-8b86-4011-b42d-00c04fc964ff', json: {}, native: null };
  const value = { ...samples, ...others }[type.kind];
  return type.isList ? (value === null ? [] : [value]) : value;
}
