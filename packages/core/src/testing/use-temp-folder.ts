import { afterEach, beforeEach, expect } from 'vitest';
import { createTempFolder, type Folder, type TempFolder } from './temp-folder.ts';

/** Another empty folder for each test of a file. Call it before what needs the folder: hooks run in the order they were made. */
export function useTempFolder(): Folder {
  let folder: TempFolder | undefined;
  const current = (): TempFolder => folder ?? expect.fail('the folder is there while a test runs');
  beforeEach(() => {
    folder = createTempFolder();
  });
  afterEach(() => folder?.[Symbol.dispose]());
  return {
    get path() {
      return current().path;
    },
    at: (...parts) => current().at(...parts),
  };
}
