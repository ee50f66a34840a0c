import type { FunctionDeclaration, Program } from 'acorn';
import { isSchemaBuilder, lazyRuntime, makeBuilderLazy, makeGetters } from './lazy-builder.ts';
import { descendantsOf, Edits, parseModule, type SyntaxNode } from './syntax.ts';

/**
 * Lets the bundler drop the protocol's public schemas that nothing uses: it keeps a constant whose value comes from a call,
 * unless the call is marked as free of side effects.
 */
export function markSchemasPure(source: string): string {
  const edits = new Edits();
  let marked = 0;
  for (const statement of parseModule(source).body) {
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) {
      if (id.type !== 'Identifier' || !id.name.endsWith('Schema') || init?.type !== 'CallExpression') continue;
      edits.prepend(init.start, '/* @__PURE__ */ (() => ');
      edits.append(init.end, ')()');
      marked += 1;
    }
  }
  if (marked < 10) throw new Error(`only ${marked} schemas were found`);
  return edits.apply(source);
}

/**
 * The chunk of the SDK that both sides of the protocol share: its table of all public schemas is left out, because it keeps
 * every one of them alive, and the schemas of the two wire revisions are built one by one when a message first needs them.
 */
export function trimProtocolChunk(source: string): string {
  const program = parseModule(source);
  const edits = new Edits();
  dropSchemaTables(program, edits);
  const builders = program.body.filter(isSchemaBuilder);
  if (builders.length !== 2) throw new Error(`${builders.length} functions build wire schemas, expected 2`);
  for (const builder of builders) makeBuilderLazy(source, builder, edits);
  for (const table of methodTables(program)) makeGetters(source, table, edits);
  if (/\$lazy\b|\$own\b/.test(source)) throw new Error('the names $lazy and $own are taken');
  return edits.apply(source) + lazyRuntime;
}

/** `for (const key of SPEC_SCHEMA_KEYS) register(key, …)`, twice: they fill `specTypeSchemas`, which only library users read. */
function dropSchemaTables(program: Program, edits: Edits): void {
  const loops = program.body.filter((node) => node.type === 'ForOfStatement');
  const calls = loops.filter((loop) => callee(loop.body) === 'register');
  if (calls.length !== 2) throw new Error(`${calls.length} loops register public schemas, expected 2`);
  for (const loop of calls) edits.replace(loop.start, loop.end, '');
}

function callee(node: SyntaxNode): string | undefined {
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'CallExpression') return undefined;
  return node.expression.callee.type === 'Identifier' ? node.expression.callee.name : undefined;
}

/** The tables `method -> schema` of the older revision: filling them would build every schema at the first message. */
function methodTables(program: Program) {
  const owner = program.body.find(
    (node): node is FunctionDeclaration => node.type === 'FunctionDeclaration' && node.id.name === 'registryMaps',
  );
  if (owner === undefined) throw new Error('there is no function registryMaps');
  const tables = [];
  for (const { node } of descendantsOf(owner)) {
    if (node.type !== 'ObjectExpression') continue;
    if (node.properties.every((property) => property.type === 'Property' && property.value.type === 'MemberExpression'))
      tables.push(node);
  }
  if (tables.length !== 3) throw new Error(`${tables.length} tables of schemas by method, expected 3`);
  return tables;
}
