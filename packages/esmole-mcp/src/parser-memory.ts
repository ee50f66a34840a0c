import { setFlagsFromString } from 'node:v8';

/**
 * The HTTP client reads the heads of answers by WebAssembly. After some tens of them the engine would compile it once more, for speed,
 * and take 30 MB while it does. Nothing becomes slower without that: bodies only pass by. Call it before the first connection is
 * opened; this process has no other WebAssembly.
 */
export function keepParserSmall(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
}
