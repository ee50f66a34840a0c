import { callFailure } from './mentions.ts';
import { textsOf, walk } from './walk.ts';

/** Of tokenizers and filters. Errors of the cluster show lines of such files. */
const fileKeys: ReadonlySet<string> = new Set(['user_dictionary', 'rule_files', 'synonyms_set']);
/** Paths of fields. */
const fieldKeys: ReadonlySet<string> = new Set(['routing_path']);

/** Settings of analyzers say what they work with; what they are told to read lies beside the settings of the server. */
export function checkFiles(body: unknown): void {
  walk(body, 0, (key, value) => {
    // A field may be called like that too; what stands below it is an object then.
    const isFile = textsOf(value).length > 0 && namesFile(key.slice(key.lastIndexOf('.') + 1));
    if (isFile) throw callFailure(key, 'reads a file of the server');
  });
}

function namesFile(key: string): boolean {
  return fileKeys.has(key) || (key.endsWith('_path') && !fieldKeys.has(key));
}
