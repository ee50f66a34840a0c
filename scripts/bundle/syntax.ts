import { type AnyNode, type Program, parse } from 'acorn';

export type SyntaxNode = AnyNode;

export function parseModule(source: string): Program {
  return parse(source, { ecmaVersion: 'latest', sourceType: 'module' });
}

export function textOf(source: string, node: SyntaxNode): string {
  return source.slice(node.start, node.end);
}

export function isFunction(node: SyntaxNode): boolean {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration';
}

function* childrenOf(node: SyntaxNode): Generator<SyntaxNode> {
  for (const value of Object.values(node)) {
    const candidates: unknown[] = Array.isArray(value) ? value : [value];
    for (const candidate of candidates) if (isNode(candidate)) yield candidate;
  }
}

/** Every node below `node` together with its parent. */
export function* descendantsOf(node: SyntaxNode): Generator<{ node: SyntaxNode; parent: SyntaxNode }> {
  for (const child of childrenOf(node)) {
    yield { node: child, parent: node };
    yield* descendantsOf(child);
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Changes to a text, collected by position in the original and applied at once. */
export class Edits {
  readonly #edits: { at: number; end: number; text: string; order: number }[] = [];

  /** `text` belongs to what ends at `at`; of several, the first asked for stands first. */
  append(at: number, text: string): void {
    this.#edits.push({ at, end: at, text, order: 0 });
  }

  /** `text` belongs to what begins at `at`. */
  prepend(at: number, text: string): void {
    this.#edits.push({ at, end: at, text, order: 1 });
  }

  replace(at: number, end: number, text: string): void {
    this.#edits.push({ at, end, text, order: 1 });
  }

  apply(source: string): string {
    const sorted = this.#edits.toSorted((a, b) => a.at - b.at || a.order - b.order);
    let out = '';
    let done = 0;
    for (const { at, end, text } of sorted) {
      if (at < done) throw new Error(`two changes overlap at ${at}: ${text}`);
      out += source.slice(done, at) + text;
      done = end;
    }
    return out + source.slice(done);
  }
}
