import type { ForeignParam, ForeignTool } from './foreign-tool.ts';
import { isRecord, readList, readText } from './read-values.ts';

/** The tools of a `dbhub.toml` that have a statement; the others switch its built-in ones. */
export function readDbhubTools(document: unknown): ForeignTool[] {
  if (!isRecord(document)) return [];
  const sources = new Map(
    readList(document.sources)
      .filter(isRecord)
      .map((source) => [readText(source.id), readText(source.type) || readText(source.dsn).split(':', 1)[0] || '']),
  );
  return readList(document.tools)
    .filter(isRecord)
    .filter(({ statement }) => statement !== undefined)
    .map((tool) => readTool(tool, sources));
}

function readTool(tool: Record<string, unknown>, sources: ReadonlyMap<string, string>): ForeignTool {
  const source = readText(tool.source);
  // Without a name of a source it is for the only one.
  const type = sources.get(source) ?? (sources.size === 1 ? ([...sources.values()][0] ?? '') : '');
  const limit = Number(tool.max_rows);
  return {
    name: readText(tool.name),
    description: readText(tool.description),
    source: source === '' ? undefined : source,
    engine: /^postgres/.test(type) ? 'postgres' : /^(?:mysql|mariadb)$/.test(type) ? 'mysql' : undefined,
    engineName: type === '' ? `a source "${source}" that the file does not define` : `"${type}"`,
    statement: readText(tool.statement),
    params: readList(tool.parameters).filter(isRecord).map(readParam),
    limit: Number.isInteger(limit) && limit > 0 ? limit : undefined,
    isRead: tool.readonly === true,
    obstacle: readText(tool.statement).trim() === '' ? 'its statement is empty' : undefined,
  };
}

function readParam(param: Record<string, unknown>): ForeignParam {
  return {
    name: readText(param.name),
    type: readText(param.type),
    itemType: undefined,
    description: readText(param.description),
    isRequired: param.required !== false,
    fallback: param.default,
    choices: readList(param.allowed_values),
    bounds: [],
  };
}
