import { expect, it } from 'vitest';
import { isFullJava } from './java.ts';

const release = (version: string, modules: string) => `IMPLEMENTOR="X"\nJAVA_VERSION="${version}"\nMODULES="${modules}"\n`;

it('wants a version that Elasticsearch 8 runs on, with the module that small runtimes leave out', () => {
  expect(isFullJava(release('17.0.15', 'java.base jdk.jlink'))).toBe(true);
  expect(isFullJava(release('21', 'java.base jdk.jlink java.se'))).toBe(true);
  expect(isFullJava(release('21.0.8', 'java.base jdk.jlinks'))).toBe(false);
  expect(isFullJava(release('21.0.8', 'java.base'))).toBe(false);
  expect(isFullJava(release('11.0.2', 'java.base jdk.jlink'))).toBe(false);
  expect(isFullJava(release('25', 'java.base jdk.jlink'))).toBe(false);
  expect(isFullJava('')).toBe(false);
});
