/** No regular expression of what ships may take more than linear time on input from outside. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { root } from './steps.ts';

/** Files whose expressions only see short texts, or have a test of their own. */
const bounded: Readonly<Record<string, string>> = {
  'packages/core/src/cli/install/json-edit.ts': 'the settings of a client, which are the person’s own',
  'packages/core/src/cli/install/toml-file.ts': 'the settings of a client, which are the person’s own',
  'packages/core/src/queries/param-line.ts': 'one line of a query file, of at most 2,000 characters',
  'packages/core/src/redact/redact.ts':
    'any text; redact.test.ts gives it megabytes, as the checker only guesses what looks ahead',
  'packages/core/src/tunnel/program/openssh-failures.ts': 'the first characters of what the program ssh complains of',
  'packages/dbmole-mcp/src/engines/mysql/values/identifiers.ts': 'the definition of one object, as the server stores it',
  'packages/dbmole-mcp/src/engines/mysql/plan/tree-text.ts': 'one line of a plan',
  'packages/dbmole-mcp/src/engines/postgres/catalog/definitions.ts': 'the definition of one constraint',
  'packages/dbmole-mcp/src/engines/postgres/session/write.ts': 'the tag of a command',
  'packages/dbmole-mcp/src/import/url-variables.ts': 'the name of a variable of the environment',
  'packages/dbmole-mcp/src/catalog/name-parts.ts': 'a name of at most 600 characters',
  'packages/dbmole-mcp/src/catalog/nearest-tables.ts': 'the name of one table',
  'packages/dbmole-mcp/src/catalog/unknown-name.ts': 'the message of a failure, which is cut at 2,000 characters',
  'packages/esmole-mcp/src/import/importers.ts': 'the name of a variable of the environment',
};

/** Files whose expressions are put together at run time, and why what comes out is harmless. */
const builtAtRunTime: Readonly<Record<string, string>> = {
  'packages/core/src/answer/csv.ts': 'a class of characters, which repeats nothing',
  'packages/core/src/cli/install/toml-file.ts': 'the settings of a client, which are the person’s own',
  'packages/core/src/queries/param-line.ts': 'the pattern of a query file, with at most three repetitions, on a short value',
  'packages/core/src/queries/query-file.ts': 'a class of characters, which repeats nothing',
  'packages/core/src/text.ts': 'a class of characters, which repeats nothing',
  'packages/core/src/tunnel/library/server-text.ts': 'each match ends before the next one can begin',
  'packages/dbmole-mcp/src/engines/postgres/guard/denials.ts': 'beginnings of names, which repeat nothing',
  'packages/dbmole-mcp/src/engines/postgres/guard/scope.ts': 'beginnings and ends of names, which repeat nothing',
  'packages/dbmole-mcp/src/policy/scope.ts': 'patterns of a person, over names that are short',
  'packages/dbmole-mcp/src/statement/grammar.ts': 'blanks and comments, of which none begins as another one does',
};

interface Found {
  readonly file: string;
  readonly line: number;
  /** Undefined where it is put together from what this test cannot compute. */
  readonly source: string | undefined;
  readonly flags: string;
}

type Node = Readonly<Record<string, unknown>>;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'packages/*/src/**'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  // The package with the engines runs in tests alone.
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|\/testing\/|^packages\/engines\//.test(file))
  .filter((file) => existsSync(join(root, file)));

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function* walk(node: unknown): Generator<Node> {
  if (!isNode(node)) return;
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* walk(child);
}

/** Constants by their names, as far as a name has one meaning in the file. */
function constantsIn(program: unknown): ReadonlyMap<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const { type, id, init } of walk(program)) {
    if (type !== 'VariableDeclarator' || !isNode(id) || typeof id.name !== 'string') continue;
    constants.set(id.name, constants.has(id.name) ? undefined : init);
  }
  return constants;
}

/** The text that an expression always has, or undefined. */
function readText(node: unknown, constants: ReadonlyMap<string, unknown>): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && !('regex' in node)) return String(node.value);
  if (node.type === 'Identifier') return readText(constants.get(String(node.name)), constants);
  if (node.type === 'TaggedTemplateExpression') return joinTemplate(node.quasi, 'raw', constants);
  if (node.type === 'TemplateLiteral') return joinTemplate(node, 'cooked', constants);
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [readText(node.left, constants), readText(node.right, constants)];
  return left === undefined || right === undefined ? undefined : left + right;
}

function joinTemplate(template: unknown, form: 'raw' | 'cooked', constants: ReadonlyMap<string, unknown>): string | undefined {
  const { quasis = [], expressions = [] } = (isNode(template) ? template : {}) as { quasis?: Node[]; expressions?: Node[] };
  const parts = quasis.map(({ value }) => (isNode(value) ? String(value[form]) : ''));
  const values = expressions.map((expression) => readText(expression, constants));
  if (values.includes(undefined)) return undefined;
  return parts.map((part, at) => part + (values[at] ?? '')).join('');
}

function findIn(file: string): Found[] {
  const text = readFileSync(join(root, file), 'utf8');
  const program: unknown = parseAst(text, { lang: 'ts' });
  const constants = constantsIn(program);
  return [...walk(program)].flatMap((node) => {
    const line = text.slice(0, Number(node.start)).split('\n').length;
    if (node.type === 'Literal' && isNode(node.regex))
      return [{ file, line, source: String(node.regex.pattern), flags: String(node.regex.flags) }];
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
    if (!isCall || !isNode(node.callee) || node.callee.name !== 'RegExp' || !Array.isArray(node.arguments)) return [];
    const [source, flags] = node.arguments.map((argument) => readText(argument, constants));
    return [{ file, line, source, flags: flags ?? '' }];
  });
}

/** Without repetition that has no end, the time has one. */
const repeats = /[*+]|\{\d+,\}/;
const timeout = 120_000;
/** Its phases are limited by their steps; a limit by the clock would make the verdict depend on the machine. */
const limits = { timeout, seedingTimeout: timeout, incubationTimeout: timeout, attackTimeout: timeout, randomSeed: 1 };

/** The build that is JavaScript alone; the package itself looks for a binary or Java first. */
const program = `
const { checkSync } = require('recheck/lib/browser.js');
const { patterns, limits } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const verdicts = patterns.map(({ source, flags }) => {
  const found = checkSync(source, flags, limits);
  if (found.status === 'safe') return null;
  return found.status === 'unknown' ? 'unknown (' + found.error.kind + ')' : 'vulnerable (' + found.complexity.summary + ')';
});
console.log(JSON.stringify(verdicts));`;

/** In a process of its own, so that measuring what the tests cover does not slow the checker down. */
function findProblems(patterns: readonly Found[]): readonly string[] {
  const input = JSON.stringify({ patterns, limits });
  const verdicts: unknown = JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd: root, input, encoding: 'utf8' }));
  if (!Array.isArray(verdicts) || verdicts.length !== patterns.length) throw new Error('the checker left some out');
  return patterns.flatMap(({ file, line, source, flags }, at) => {
    const problem: unknown = verdicts[at];
    return problem === null ? [] : [`${file}:${line} /${source}/${flags}: ${String(problem)}`];
  });
}

const found = files.flatMap(findIn);

it('every regular expression is found', () => {
  expect(found.length).toBeGreaterThan(300);
  expect(findIn('packages/core/src/redact/redact.ts').length).toBeGreaterThan(3);
});

it('one that takes too long would be found', () => {
  const slow = { file: 'slow.ts', line: 1, source: '(a*)*b', flags: '' };
  expect(findProblems([slow, { ...slow, source: '^a+$' }])).toEqual(['slow.ts:1 /(a*)*b/: vulnerable (exponential)']);
});

it('those that are put together at run time are known', () => {
  const built = found.filter(({ source }) => source === undefined).map(({ file }) => file);
  expect([...new Set(built)].sort()).toEqual(Object.keys(builtAtRunTime).sort());
});

it('none takes more than linear time', () => {
  const known = new Map<string, Found>();
  for (const one of found) {
    const isChecked = one.source !== undefined && repeats.test(one.source) && !Object.hasOwn(bounded, one.file);
    if (isChecked) known.set(`/${one.source}/${one.flags}`, one);
  }
  expect(known.size).toBeGreaterThan(200);
  expect(findProblems([...known.values()])).toEqual([]);
}, 600_000);

it('what is listed is there', () => {
  const listed = [...Object.keys(bounded), ...Object.keys(builtAtRunTime)];
  expect(listed.filter((file) => !files.includes(file))).toEqual([]);
});
