/** The part of the parser's WebAssembly module that is used here; its package declares no types for it. */
export interface WasmModule {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _wasm_parse_query_raw(text: number): number;
  _wasm_free_parse_result(result: number): void;
  _wasm_scan(text: number): number;
  _wasm_parse_plpgsql(text: number): number;
  _wasm_free_string(text: number): void;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, pointer: number, bytes: number): void;
  UTF8ToString(pointer: number): string;
  getValue(pointer: number, type: 'i32'): number;
}

/** What C code prints must not get to stdout, which belongs to the protocol. */
export interface WasmOptions {
  print(): void;
  printErr(): void;
}
