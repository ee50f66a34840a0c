import { Failure, type ForeignFile, type ImportedQuery } from '@dbmole/core';
import { parse as parseToml } from 'smol-toml';
import { parseAllDocuments } from 'yaml';
import type { SqlGrammar } from '../../engine.ts';
import { readDbhubTools } from './dbhub-file.ts';
import { convertTool, type ForeignTool } from './foreign-tool.ts';
import { readToolboxTools } from './toolbox-file.ts';

/** An alias in YAML may repeat what is large; a file of a person has few. */
const maxAliasCount = 100;

/** Custom tools of MCP Toolbox (`tools.yaml`) and dbhub (`dbhub.toml`) as saved queries. */
export function importFile(
  { path, text, reserved }: ForeignFile,
  grammars: Readonly<Record<'postgres' | 'mysql', SqlGrammar>>,
): ImportedQuery[] {
  return readTools(path, text).map((tool) => convertTool(tool, { grammars, reserved }));
}

function readTools(path: string, text: string): ForeignTool[] {
  if (/\.toml$/i.test(path)) return readDbhubTools(parsed(path, () => parseToml(text)));
  if (/\.ya?ml$/i.test(path)) return readToolboxTools(parsed(path, () => readYaml(text)));
  throw new Failure('input', `cannot tell what ${path} is: expected tools.yaml of MCP Toolbox, or dbhub.toml`);
}

function readYaml(text: string): unknown[] {
  const documents = parseAllDocuments(text);
  return [...documents].map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount });
  });
}

function parsed<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw new Failure('input', `cannot read ${path}: ${line}`, { cause });
  }
}
