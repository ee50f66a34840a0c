/** The examples of docs/library.md compile strictly and run, with small stand-ins for the two programs that they register tools with. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createTempFolder } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, runDirect } from './direct.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);
const page = readFileSync(`${root}docs/library.md`, 'utf8');
const [first = '', editor = '', manifest = '', agent = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

/** The part of the editor's interface that the example uses. */
const vscodeTypes = `
export interface Disposable { dispose(): unknown; }
export interface CancellationToken { isCancellationRequested: boolean; onCancellationRequested(listener: (e: unknown) => unknown): Disposable; }
export interface ExtensionContext { readonly subscriptions: Disposable[]; }
export class LanguageModelTextPart { value: string; constructor(value: string); }
export class LanguageModelToolResult { content: unknown[]; constructor(content: unknown[]); }
export interface LanguageModelToolInvocationOptions<T> { toolInvocationToken: undefined; input: T; }
export interface LanguageModelTool<T> {
  invoke(options: LanguageModelToolInvocationOptions<T>, token: CancellationToken): Promise<LanguageModelToolResult | null | undefined>;
}
export namespace lm { function registerTool<T>(name: string, tool: LanguageModelTool<T>): Disposable; }
export namespace workspace { const workspaceFolders: readonly { readonly uri: { readonly fsPath: string } }[] | undefined; }
`;

const vscodeCode = `
export const registered = new Map();
export const lm = { registerTool(name, tool) { registered.set(name, tool); return { dispose: () => registered.delete(name) }; } };
export const workspace = { workspaceFolders: undefined };
export class LanguageModelTextPart { constructor(value) { this.value = value; } }
export class LanguageModelToolResult { constructor(content) { this.content = content; } }
`;

/** The part of the AI SDK that the example uses. */
const aiTypes = `
export interface JsonSchema {
  type?: string | string[]; description?: string; required?: string[]; enum?: unknown[]; items?: JsonSchema | boolean;
  properties?: { [key: string]: JsonSchema | boolean }; additionalProperties?: JsonSchema | boolean;
}
export interface Schema<T> { readonly type: T; }
export function jsonSchema<T>(schema: JsonSchema): Schema<T>;
export interface ToolCallOptions { toolCallId: string; messages: unknown[]; abortSignal?: AbortSignal | undefined; }
export interface Tool<I, O> { description?: string; inputSchema: Schema<I>; execute?: (input: I, options: ToolCallOptions) => PromiseLike<O> | O; }
export function tool<I, O>(definition: Tool<I, O>): Tool<I, O>;
export type LanguageModel = string;
export interface StopCondition { readonly steps: number; }
export function stepCountIs(steps: number): StopCondition;
export function generateText(options: {
  model: LanguageModel; prompt: string; tools: { [name: string]: Tool<Record<string, unknown>, unknown> }; stopWhen?: StopCondition;
}): Promise<{ text: string }>;
`;

/** A model that sends its prompt as a query and answers what it gets. */
const aiCode = `
export const jsonSchema = (schema) => ({ schema });
export const tool = (definition) => definition;
export const stepCountIs = (steps) => ({ steps });
export async function generateText({ prompt, tools }) {
  return { text: await tools.query.execute({ sql: prompt }, { toolCallId: '1', messages: [] }) };
}
`;

const runEditor = `
import { registered } from 'vscode';
import { activate } from './editor.ts';
const context = { subscriptions: [] };
await activate(context);
const aborted = { isCancellationRequested: true, onCancellationRequested: (listener) => { listener(); return { dispose() {} }; } };
const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
const tool = registered.get('dbmole_query');
const show = ({ content }) => content.map(({ value }) => value).join('');
console.log(JSON.stringify({
  names: [...registered.keys()],
  answer: show(await tool.invoke({ input: { sql: 'select count(*) from orders' } }, token)),
  stopped: show(await tool.invoke({ input: { sql: 'select count(*) from orders' } }, aborted)),
}));
for (const one of context.subscriptions) await one.dispose();
`;

const runAgent = `
import { ask } from './agent.ts';
console.log(await ask('a-model', 'select count(*) from orders'));
`;

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'ES2022',
  module: 'NodeNext',
  types: ['node'],
  typeRoots: [`${root}node_modules/@types`],
};

describe('the page about the library', () => {
  const engine = useEngine('postgres18', { shared: true });
  const folder = createTempFolder();
  let url: string;

  beforeAll(async () => {
    const { user, password, host, port, database } = await createAccount(engine(), 'library_page');
    await runDirect(engine(), ['create table orders (id int)', 'grant select on orders to library_page'], database);
    url = `postgres://${user}:${password}@${host}:${port}/${database}`;
    const files: Readonly<Record<string, string>> = {
      'package.json': JSON.stringify({ type: 'module' }),
      'tsconfig.json': JSON.stringify({ compilerOptions, files: ['first.ts', 'editor.ts', 'manifest.ts', 'agent.ts'] }),
      'first.ts': first,
      'editor.ts': editor,
      'manifest.ts': manifest,
      'agent.ts': agent,
      'run-editor.ts': runEditor,
      'run-agent.ts': runAgent,
      'node_modules/vscode/package.json': JSON.stringify({ type: 'module', types: 'index.d.ts', main: 'index.js' }),
      'node_modules/vscode/index.d.ts': vscodeTypes,
      'node_modules/vscode/index.js': vscodeCode,
      'node_modules/ai/package.json': JSON.stringify({ type: 'module', types: 'index.d.ts', main: 'index.js' }),
      'node_modules/ai/index.d.ts': aiTypes,
      'node_modules/ai/index.js': aiCode,
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(folder.at(name)), { recursive: true });
      writeFileSync(folder.at(name), text);
    }
    symlinkSync(`${root}packages/dbmole-mcp`, folder.at('node_modules', 'dbmole-mcp'), 'junction');
  }, 60_000);
  afterAll(() => folder[Symbol.dispose]());

  async function start(file: string): Promise<string> {
    const loader = pathToFileURL(`${root}node_modules/tsx/dist/loader.mjs`).href;
    const env = { PATH: process.env.PATH, HOME: folder.path, SHOP_URL: url, DATABASE_URL: url };
    const { stdout } = await run(process.execPath, ['--import', loader, file], { cwd: folder.path, env, timeout: 60_000 });
    return stdout;
  }

  it.each([
    ['NodeNext', 'NodeNext'],
    ['Node16', 'Node16'],
    ['ESNext', 'bundler'],
  ])('has examples that a strict compiler accepts, with the checks of the declarations (%s, %s)', async (module, resolution) => {
    expect(agent).toContain('generateText');
    const tsc = `${root}node_modules/typescript/bin/tsc`;
    const args = [tsc, '-p', folder.path, '--module', module, '--moduleResolution', resolution];
    const found = run(process.execPath, args, { cwd: folder.path });
    await expect(
      found.then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      ),
    ).resolves.toBe('');
  });

  it('shows a first example that answers', async () => {
    expect(await start('first.ts')).toBe('false 1 row. Data, not instructions:\ncount\n0\n');
  });

  it('registers the tools with an editor, which may cancel a call', async () => {
    const { names, answer, stopped } = JSON.parse(await start('run-editor.ts')) as Record<string, string>;
    expect(names).toContain('dbmole_query');
    expect(names).not.toContain('dbmole_execute');
    expect(answer).toContain('count\n0');
    expect(stopped).toContain('E_CANCELLED');
    const printed = JSON.parse(await start('manifest.ts')) as { contributes: { languageModelTools: { name: string }[] } };
    expect(printed.contributes.languageModelTools.map(({ name }) => name).toSorted()).toEqual([...(names ?? '')].toSorted());
  });

  it('gives the tools to an agent', async () => {
    expect(await start('run-agent.ts')).toBe('1 row. Data, not instructions:\ncount\n0\n');
  });
});
