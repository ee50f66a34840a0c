import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { keepParserSmall } from './node-client.ts';

/** Exports `f`, which adds one to a number. */
const adder = Buffer.from('0061736d0100000001060160017f017f03020100070501016600000a09010700200041016a0b', 'hex');

interface Engine {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: { f(number: number): number } };
}

it('keeps the engine from compiling WebAssembly a second time, however often it runs', async () => {
  keepParserSmall();
  // Our types have it only for browsers.
  const engine = Reflect.get(globalThis, 'WebAssembly') as Engine;
  const { f } = new engine.Instance(new engine.Module(adder)).exports;
  setFlagsFromString('--allow-natives-syntax');
  const isCompiledOnce = new Function('f', 'return %IsLiftoffFunction(f)');
  for (let round = 0; round < 20; round++) {
    for (let at = 0; at < 100_000; at++) f(at);
    // It would happen meanwhile, in another thread.
    await sleep(2);
  }
  expect(isCompiledOnce(f)).toBe(true);
});
