import type { ForeignParam, ForeignTool } from './foreign-tool.ts';
import { isRecord, readList, readText } from './read-values.ts';

/** The kinds of tools whose statement one of our engines runs; the word in front names a service that offers the engine. */
const postgresKinds = /^(?:postgres|cloud-sql-postgres|alloydb-postgres|cockroachdb|yugabytedb)-sql$/;
const mysqlKinds = /^(?:mysql|cloud-sql-mysql|mariadb|tidb)-sql$/;

/** The tools of a `tools.yaml`: a map of them, or since its second format a document for each. */
export function readToolboxTools(documents: readonly unknown[]): ForeignTool[] {
  return documents.filter(isRecord).flatMap((document) => {
    const { tools, kind, name } = document;
    if (isRecord(tools)) return Object.entries(tools).map(([key, tool]) => readTool(key, isRecord(tool) ? tool : {}));
    return /^tools?$/.test(readText(kind)) && typeof name === 'string'
      ? [readTool(name, { ...document, kind: document.type })]
      : [];
  });
}

function readTool(name: string, tool: Record<string, unknown>): ForeignTool {
  const kind = readText(tool.kind) || readText(tool.type);
  return {
    name,
    description: readText(tool.description),
    source: readText(tool.source) || undefined,
    engine: postgresKinds.test(kind) ? 'postgres' : mysqlKinds.test(kind) ? 'mysql' : undefined,
    engineName: kind === '' ? 'an unknown kind' : `"${kind}"`,
    statement: readText(tool.statement),
    params: readList(tool.parameters).filter(isRecord).map(readParam),
    limit: undefined,
    isRead: false,
    obstacle: findObstacle(tool),
  };
}

function findObstacle(tool: Record<string, unknown>): string | undefined {
  if (readList(tool.templateParameters).length > 0)
    return 'its template parameters are pasted into the statement, which saved queries never do';
  if (readList(tool.authRequired).length > 0) return 'it needs a sign-in (authRequired), which saved queries do not have';
  const params = readList(tool.parameters).filter(isRecord);
  const signed = params.find((param) => readList(param.authServices ?? param.authSources).length > 0);
  if (signed !== undefined) return `its parameter ${readText(signed.name)} comes from a sign-in, which saved queries do not have`;
  const limited = params.find(
    ({ excludedValues, allowedValues }) => isList(excludedValues) || readList(allowedValues).some(isPattern),
  );
  if (limited !== undefined)
    return `its parameter ${readText(limited.name)} is limited by excludedValues or by a regular expression, which saved queries do not have`;
  return typeof tool.statement === 'string' && tool.statement.trim() !== '' ? undefined : 'it has no statement of its own';
}

function readParam(param: Record<string, unknown>): ForeignParam {
  return {
    name: readText(param.name),
    type: readText(param.type),
    itemType: isRecord(param.items) ? readText(param.items.type) : undefined,
    description: readText(param.description),
    isRequired: param.required !== false,
    fallback: param.default,
    choices: readList(param.allowedValues),
    bounds: ['minValue', 'maxValue'].filter((bound) => param[bound] !== undefined),
  };
}

function isList(value: unknown): boolean {
  return readList(value).length > 0;
}

/** Each of the allowed values is tried as a regular expression there. */
function isPattern(value: unknown): boolean {
  return /[\\^$*+?()[\]{}|]/.test(readText(value));
}
