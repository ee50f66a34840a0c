import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFunctionDenial, findReach } from '../packages/dbmole-mcp/src/engines/postgres/guard/denials.ts';
import { openParser, type Parser } from '../packages/dbmole-mcp/src/engines/postgres/guard/thread/parser.ts';

/**
 * Writes down the C functions of the extensions that come with PostgreSQL, for a person to review:
 * `npx tsx scripts/postgres-symbols.ts DIR…`, with the share/postgresql/extension folder of each version.
 */

/** What of the parser's tree is read here. */
interface TypeName {
  readonly names: readonly { readonly String: { readonly sval: string } }[];
  readonly arrayBounds?: unknown;
}

interface Parameter {
  readonly argType: TypeName;
  readonly mode?: string;
}

interface CreateFunction {
  readonly funcname: TypeName['names'];
  readonly parameters?: readonly { readonly FunctionParameter: Parameter }[];
  readonly returnType?: TypeName & { readonly setof?: boolean };
  readonly options: readonly { readonly DefElem: { readonly defname: string; readonly arg?: Record<string, unknown> } }[];
}

type Statement = Readonly<Record<string, unknown>>;

/** Transforms and handlers of other languages: a function in such a language cannot be checked anyway. */
const otherLanguages = /_pl(?:perl|python)u?\d?u?$|^pl(?:perl|python|tcl)/;
/** Reviewed and not safe under any name: other versions of what is denied by its name. */
const unsafe = /^(?:pg_file_|pg_logdir_ls|pg_stat_statements_reset|accept_weak_input|dblink|connectby|heap_force_|crosstab)/;

const file = fileURLToPath(new URL('../packages/dbmole-mcp/src/engines/postgres/guard/reviewed-symbols.ts', import.meta.url));
const [head] = readFileSync(file, 'utf8').split('export ');
writeFileSync(file, `${head}export const reviewedSymbols = \`\n${formatTable(await readScripts(process.argv.slice(2)))}\`;\n`);

async function readScripts(directories: readonly string[]): Promise<readonly (readonly [library: string, symbol: string])[]> {
  const parser = await openParser();
  const statements = directories.flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.sql') && !otherLanguages.test(name.split('--')[0] ?? ''))
      .flatMap((name) => readScript(directory, name, parser)),
  );
  const own = new Set(statements.flatMap(({ statement }) => findType(statement)));
  return statements.flatMap(({ statement, library }) => {
    const create = statement.CreateFunctionStmt as CreateFunction | undefined;
    return create === undefined ? [] : formatFunction(create, library, own);
  });
}

function readScript(directory: string, name: string, parser: Parser): readonly { statement: Statement; library: string }[] {
  const control = readFileSync(join(directory, `${name.split('--')[0]}.control`), 'utf8');
  const library = /module_pathname = '([^']*)'/.exec(control)?.[1] ?? '';
  const text = readFileSync(join(directory, name), 'utf8');
  const sql = text.replaceAll(/^\\.*$/gm, '').replaceAll(/@ext\w+(?::\w+)?@/g, 'x');
  return parser.parse(sql).map(({ stmt }) => ({ statement: stmt as Statement, library }));
}

/** The name of a type that an extension brings. */
function findType(statement: Statement): readonly string[] {
  const create = (statement.DefineStmt ?? statement.CompositeTypeStmt) as
    | { kind?: string; defnames?: TypeName['names']; typevar?: { relname: string } }
    | undefined;
  if (create?.kind !== undefined && create.kind !== 'OBJECT_TYPE') return [];
  return [create?.defnames?.at(-1)?.String.sval ?? create?.typevar?.relname ?? []].flat();
}

function formatFunction(
  create: CreateFunction,
  module: string,
  own: ReadonlySet<string>,
): readonly (readonly [string, string])[] {
  const options = new Map(create.options.map(({ DefElem: { defname, arg } }) => [defname, JSON.stringify(arg ?? {})]));
  const texts = (option: string) => [...(options.get(option) ?? '').matchAll(/"sval":"([^"]*)"/g)].map(([, text = '']) => text);
  const name = create.funcname.at(-1)?.String.sval ?? '';
  const [path = '', symbol = name] = texts('as');
  if (texts('language')[0]?.toLowerCase() !== 'c' || unsafe.test(symbol) || findReach({ schema: undefined, name })) return [];
  const isStrict = options.get('strict')?.includes('true') === true;
  const { takes, gives } = formatTypes(create, own);
  const denial = findFunctionDenial(undefined, name);
  if (denial !== undefined && denial.unlessArgs !== takes.length) return [];
  const library = path.replace('MODULE_PATHNAME', module).replace('$libdir/', '');
  return [[library, `${symbol}(${takes.join(',')}>${gives}${isStrict ? '' : '?'})`]];
}

function formatTypes(
  { parameters = [], returnType }: CreateFunction,
  own: ReadonlySet<string>,
): { takes: readonly string[]; gives: string } {
  const all = parameters.map(({ FunctionParameter }) => FunctionParameter);
  const formatType = ({ names, arrayBounds }: TypeName) => {
    const name = `${arrayBounds === undefined ? '' : '_'}${names.at(-1)?.String.sval}`;
    return own.has(name.replace(/^_/, '')) ? `+${name}` : name;
  };
  const has = (modes: readonly string[]) => all.filter(({ mode = '' }) => modes.some((one) => mode === `FUNC_PARAM_${one}`));
  const [result, ...more] = has(['OUT', 'INOUT', 'TABLE']);
  const gives = result === undefined && returnType !== undefined ? formatType(returnType) : 'record';
  const takes = all.filter((one) => !has(['OUT', 'TABLE']).includes(one)).map(({ argType }) => formatType(argType));
  const isSet = returnType?.setof === true || has(['TABLE']).length > 0;
  const single = result !== undefined && more.length === 0 ? formatType(result.argType) : gives;
  return { takes, gives: `${isSet ? '*' : ''}${single}` };
}

/** A line for each library, and in it each symbol once, with all signatures that some version has. */
function formatTable(functions: readonly (readonly [library: string, symbol: string])[]): string {
  const libraries = [...new Set(functions.map(([library]) => library))].toSorted();
  const symbols = (library: string) => new Set(functions.filter(([one]) => one === library).map(([, symbol]) => symbol));
  return libraries.map((library) => `${library} ${[...symbols(library)].toSorted().join(' ')}\n`).join('');
}
