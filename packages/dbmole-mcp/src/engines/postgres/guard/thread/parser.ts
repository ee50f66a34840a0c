import type { WasmModule } from './wasm-module.ts';

/** The version of the grammar; `package.json` pins the package. */
export const parserMajor = 18;

/** PostgreSQL's own parser, compiled to WebAssembly. */
export interface Parser {
  /** The statements in the text, as the JSON of the parser. Throws a ParserError for a text that the grammar does not have. */
  parse(sql: string): readonly RawStatement[];
  /** The lexical elements, comments included. */
  scan(sql: string): readonly Token[];
  /** The tree of a PL/pgSQL function, given as CREATE FUNCTION. Throws a ParserError for one that does not compile. */
  parsePlpgsql(sql: string): unknown;
}

export interface RawStatement {
  readonly stmt?: unknown;
  /** In bytes of UTF-8, as all of the parser's locations except those of errors; absent: 0. */
  readonly stmt_location?: number;
}

export interface Token {
  /** The position in bytes of UTF-8. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly tokenName: string;
}

export class ParserError extends Error {
  /** From 0, in code points; negative: unknown. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** The module's memory only grows; beyond this size the module is discarded. */
const maxSize = 128 * 1024 * 1024;

let opened: Promise<Parser> | undefined;

/** Loads the parser on first use, which takes 1.7 MB and about 30 ms. */
export async function openParser(): Promise<Parser> {
  opened ??= loadParser();
  const loading = opened;
  return await loading.catch((error: unknown) => {
    discard(loading);
    throw error;
  });
}

async function loadParser(): Promise<Parser> {
  const { default: create } = await import('libpg-query/wasm/libpg-query.js');
  const silent = () => undefined;
  const module = await create({ print: silent, printErr: silent });
  const checked = <T>(work: () => T): T => {
    let healthy = false;
    try {
      const result = work();
      healthy = true;
      return result;
    } catch (error) {
      healthy = error instanceof ParserError;
      throw error;
    } finally {
      // A trap, a stack overflow above all, leaves the module's memory in an unknown state: the next parse gets a new module.
      if (!healthy || module.HEAPU8.length > maxSize) discard(opened);
    }
  };
  return {
    parse: (sql) => checked(() => parse(module, sql)),
    scan: (sql) => checked(() => scan(module, sql)),
    parsePlpgsql: (sql) => checked(() => parsePlpgsql(module, sql)),
  };
}

function discard(parser: Promise<Parser> | undefined): void {
  if (opened === parser) opened = undefined;
}

function parse(module: WasmModule, sql: string): readonly RawStatement[] {
  return withText(module, sql, (text) => {
    const result = module._wasm_parse_query_raw(text);
    if (result === 0) throw new Error('the parser has no memory left');
    try {
      // struct { char *tree; char *stderr; PgQueryError *error; }
      const error = module.getValue(result + 8, 'i32');
      if (error !== 0) throw readError(module, error);
      // The parser writes it, for this version.
      const tree = JSON.parse(module.UTF8ToString(module.getValue(result, 'i32'))) as { stmts?: readonly RawStatement[] };
      return tree.stmts ?? [];
    } finally {
      module._wasm_free_parse_result(result);
    }
  });
}

/** struct { char *message; char *function; char *file; int line; int position; … }, the position counted from 1. */
function readError(module: WasmModule, error: number): ParserError {
  return new ParserError(module.UTF8ToString(module.getValue(error, 'i32')), module.getValue(error + 16, 'i32') - 1);
}

function scan(module: WasmModule, sql: string): readonly Token[] {
  // The parser writes it, for this version.
  return (parseJson(module, sql, module._wasm_scan) as { tokens?: readonly Token[] }).tokens ?? [];
}

function parsePlpgsql(module: WasmModule, sql: string): unknown {
  return parseJson(module, sql, module._wasm_parse_plpgsql);
}

/** For what answers with JSON, or else with the text of an error. */
function parseJson(module: WasmModule, sql: string, call: (text: number) => number): unknown {
  return withText(module, sql, (text) => {
    const result = call(text);
    try {
      const json = module.UTF8ToString(result);
      if (!json.startsWith('{')) throw new ParserError(json, -1);
      return JSON.parse(json);
    } finally {
      module._wasm_free_string(result);
    }
  });
}

function withText<T>(module: WasmModule, sql: string, work: (pointer: number) => T): T {
  const bytes = module.lengthBytesUTF8(sql) + 1;
  const pointer = module._malloc(bytes);
  if (pointer === 0) throw new Error('the parser has no memory left');
  try {
    module.stringToUTF8(sql, pointer, bytes);
    return work(pointer);
  } finally {
    module._free(pointer);
  }
}
