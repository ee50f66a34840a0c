import type {
  AssignmentProperty,
  FunctionDeclaration,
  ObjectExpression,
  Property,
  ReturnStatement,
  VariableDeclarator,
} from 'acorn';
import { descendantsOf, type Edits, isFunction, type SyntaxNode, textOf } from './syntax.ts';

/** The run-time half of the change; both names must be free in the file that gets it. */
export const lazyRuntime = `
function $lazy(make) { let value; return () => { if (make) { value = make(); make = undefined; } return value; }; }
function $own(object, key, make) {
  const value = make();
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  return value;
}
`;

/**
 * A function that builds all schemas of a protocol revision at once, `const A = …; const B = …; return { A, B, … }`, is
 * changed so that each of them is built when it is first read. The values, their identity and their names stay the same.
 */
export function makeBuilderLazy(source: string, builder: FunctionDeclaration, edits: Edits): void {
  const { declarators, result } = shapeOf(builder);
  const returned = new Set(result.properties.map((property) => returnedName(property)));
  const tables: ObjectExpression[] = [result];
  const names = new Set<string>();
  const wrapped: SyntaxNode[] = [];
  for (const { id, init } of declarators) {
    if (id.type !== 'Identifier' || init == null) throw new Error('a declaration of an unknown form');
    if (isFunction(init)) continue;
    if (init.type === 'ObjectExpression' && returned.has(id.name)) {
      tables.push(init);
      continue;
    }
    names.add(id.name);
    wrapped.push(init);
  }
  callReferences(builder, names, edits);
  for (const init of wrapped) wrap(init, edits);
  for (const table of tables) for (const property of table.properties) makeGetter(source, property, edits);
}

/** Makes every value of an object literal a getter; right for values that are cheap and the same at every read. */
export function makeGetters(source: string, table: ObjectExpression, edits: Edits): void {
  for (const property of table.properties) {
    const { key, value } = plainProperty(property);
    edits.replace(property.start, value.start, `get ${textOf(source, key)}() { return `);
    edits.append(value.end, '; }');
  }
}

/** True for the function whose whole body is declarations and a final `return { … }`, most of them schemas. */
export function isSchemaBuilder(node: SyntaxNode): node is FunctionDeclaration {
  if (node.type !== 'FunctionDeclaration') return false;
  const last = node.body.body.at(-1);
  if (last?.type !== 'ReturnStatement' || last.argument?.type !== 'ObjectExpression') return false;
  return last.argument.properties.filter((property) => keyName(property)?.endsWith('Schema')).length > 50;
}

function shapeOf(builder: FunctionDeclaration): { declarators: VariableDeclarator[]; result: ObjectExpression } {
  const declarators: VariableDeclarator[] = [];
  for (const statement of builder.body.body.slice(0, -1)) {
    if (statement.type === 'FunctionDeclaration') continue;
    if (statement.type !== 'VariableDeclaration' || statement.kind !== 'const')
      throw new Error(`a ${statement.type} where only constants were expected`);
    declarators.push(...statement.declarations);
  }
  // isSchemaBuilder has seen that this is a return of an object literal.
  const result = (builder.body.body.at(-1) as ReturnStatement).argument as ObjectExpression;
  return { declarators, result };
}

function wrap(init: SyntaxNode, edits: Edits): void {
  const isObject = init.type === 'ObjectExpression';
  edits.prepend(init.start, isObject ? '$lazy(() => (' : '$lazy(() => ');
  edits.append(init.end, isObject ? '))' : ')');
}

function makeGetter(source: string, property: SyntaxNode, edits: Edits): void {
  if (property.type === 'SpreadElement') throw new Error('a spread in a table of schemas');
  const { key, value } = plainProperty(property);
  const text = textOf(source, key);
  const name = key.type === 'Identifier' ? JSON.stringify(text) : text;
  edits.replace(property.start, value.start, `get ${text}() { return $own(this, ${name}, () => `);
  edits.append(value.end, '); }');
}

function plainProperty(property: SyntaxNode): Property | AssignmentProperty {
  if (property.type !== 'Property' || property.computed || property.method || property.kind !== 'init')
    throw new Error(`a ${property.type} where only plain properties were expected`);
  return property;
}

function keyName(property: SyntaxNode): string | undefined {
  return property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : undefined;
}

function returnedName(property: SyntaxNode): string | undefined {
  return property.type === 'Property' && property.value.type === 'Identifier' ? property.value.name : undefined;
}

/** Where a name that is now a function was read, it is called. */
function callReferences(scope: FunctionDeclaration, names: ReadonlySet<string>, edits: Edits): void {
  const declared = new Set<string>();
  for (const { node, parent } of descendantsOf(scope)) {
    if (node.type !== 'Identifier' || !names.has(node.name)) continue;
    const role = roleOf(node, parent);
    if (role === 'read') edits.append(node.end, '()');
    if (role !== 'declaration') continue;
    if (declared.has(node.name)) throw new Error(`${node.name} is declared twice`);
    declared.add(node.name);
  }
}

/** Whether an identifier stands for the value of a variable, declares it, or only looks the same. */
function roleOf(node: SyntaxNode, parent: SyntaxNode): 'read' | 'declaration' | 'label' {
  switch (parent.type) {
    case 'MemberExpression':
      return parent.property === node && !parent.computed ? 'label' : 'read';
    case 'Property':
      return parent.key === node && !parent.computed ? 'label' : 'read';
    case 'VariableDeclarator':
      return parent.id === node ? 'declaration' : 'read';
    case 'ArrowFunctionExpression':
      if (parent.body === node) return 'read';
      throw new Error('a parameter has the name of a schema');
    case 'CallExpression':
    case 'ArrayExpression':
    case 'SpreadElement':
    case 'ReturnStatement':
    case 'ConditionalExpression':
      return 'read';
    default:
      throw new Error(`a schema stands in a ${parent.type}, where none was expected`);
  }
}
