declare module 'libpg-query/wasm/libpg-query.js' {
  const create: (options: import('./wasm-module.ts').WasmOptions) => Promise<import('./wasm-module.ts').WasmModule>;
  export = create;
}
