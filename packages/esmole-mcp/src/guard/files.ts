import type { Failure } from '@dbmole/core';
import { callFailure } from './mentions.ts';
import { textsOf, walk } from './walk.ts';

/** Of tokenizers and filters. Errors of the cluster show lines of such files. */
const fileKeys: ReadonlySet<string> = new Set(['user_dictionary', 'rule_files', 'synonyms_set']);
/** Paths of fields. */
const fieldKeys: ReadonlySet<string> = new Set(['routing_path']);

/** Of the filter `hunspell`, which looks for a folder of that name. Dates and fields of a mapping have some of them, too. */
const hunspellKeys: ReadonlySet<string> = new Set(['locale', 'language', 'lang', 'dictionary']);

/** Settings of analyzers say what they work with; what they are told to read lies beside the settings of the server. */
export function checkFiles(body: unknown): void {
  const ofHunspell: string[] = [];
  let hasHunspell = false;
  walk(body, 0, (key, value) => {
    const last = key.slice(key.lastIndexOf('.') + 1);
    // A field may be called like that too; what stands below it is an object then.
    if (namesFile(last) && textsOf(value).length > 0) throw fileFailure(key);
    if (hunspellKeys.has(last) && textsOf(value).length > 0) ofHunspell.push(key);
    if (last === 'type' && value === 'hunspell') hasHunspell = true;
  });
  const [first] = ofHunspell;
  if (hasHunspell && first !== undefined) throw fileFailure(first);
}

function namesFile(key: string): boolean {
  return fileKeys.has(key) || (key.endsWith('_path') && !fieldKeys.has(key));
}

function fileFailure(key: string): Failure {
  return callFailure(key, 'reads a file of the server');
}
