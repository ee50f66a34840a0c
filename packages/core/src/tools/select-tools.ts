import { Failure } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import { effects, type Tool } from './tool.ts';

/** All tools that only read: no change of data, of connections, or of files. */
const readGroup = 'read';

export interface Selection {
  /** `query,list_tables`, `read`, `read,export_query` or `-add_connection`. */
  wanted: string | undefined;
  /** Tools that change data are left out. */
  readonly: boolean;
}

/** Whether the group of tools that only read is chosen, rather than tools by name. */
export function wantsFew({ wanted = '' }: Selection): boolean {
  return toWords(wanted).includes(readGroup);
}

/** What of the registered tools is offered. Throws on a word that names none of them. */
export function selectTools(tools: readonly Tool[], { wanted = '', readonly }: Selection): readonly Tool[] {
  const open = readonly ? tools.filter((tool) => tool.effect !== 'destroy') : tools;
  const words = toWords(wanted);
  const named = words.filter((word) => !word.startsWith('-')).map((word) => matching(word, tools, open));
  const without = words.filter((word) => word.startsWith('-')).flatMap((word) => matching(word.slice(1), tools, tools));
  const offered = named.length === 0 ? open : open.filter((tool) => named.some((group) => group.includes(tool)));
  return offered.filter((tool) => !without.includes(tool));
}

function toWords(wanted: string): string[] {
  return wanted.split(',').flatMap((word) => word.trim() || []);
}

function matching(word: string, all: readonly Tool[], open: readonly Tool[]): readonly Tool[] {
  if (word === readGroup) return open.filter(({ effect }) => effects[effect].readOnlyHint);
  const tool = all.find(({ name }) => name === word);
  if (tool === undefined) throw unknownTool(word, open);
  if (!open.includes(tool)) throw leftOut(word);
  return [tool];
}

function unknownTool(word: string, tools: readonly Tool[]): Failure {
  const names = tools.map(({ name }) => name);
  const hint = `Use ${readGroup} for all tools that only read, or some of ${names.join(', ')}; -NAME leaves one out.`;
  return new Failure('input', `unknown tool ${JSON.stringify(word.slice(0, 100))} in --tools`, {
    nearest: nearestNames(word, [readGroup, ...names]),
    hint,
  });
}

function leftOut(name: string): Failure {
  return new Failure('input', `--tools asks for "${name}", which --readonly leaves out`, {
    hint: `Remove ${name} from --tools, or --readonly.`,
  });
}
