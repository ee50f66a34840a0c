import { useState } from 'preact/hooks';

/** A number keeps the digits that it was written with. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Json = string | boolean | null | NumberText | readonly Json[] | { readonly [name: string]: Json };

/** Undefined for what is no object or list in JSON. */
export function parseJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  // Newer than the types: the third argument has the text of the number.
  const keepDigits = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? new NumberText(context?.source ?? String(value)) : value;
  try {
    return JSON.parse(text, keepDigits) as Json;
  } catch {
    // No JSON, or nested too deeply.
    return undefined;
  }
}

/** Entries of a list or an object that are shown at once. */
const step = 100;

/** JSON that opens level by level; what is closed is no element. */
export function JsonTree({ value }: { value: Json }) {
  return (
    <div class="tree">
      <Branch value={value} isOpen />
    </div>
  );
}

function Branch({ name, value, isOpen: isOpenAtFirst = false }: { name?: string; value: Json; isOpen?: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [shown, setShown] = useState(step);
  const label = name === undefined ? null : <span class="tree-name">{name}: </span>;
  if (!isNested(value)) {
    return (
      <div class="leaf">
        {label}
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        {Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}
      </summary>
      {isOpen && entries.slice(0, shown).map(([key, child]) => <Branch key={key} name={key} value={child} />)}
      {isOpen && entries.length > shown && (
        <button type="button" onClick={() => setShown(shown + step)}>
          Show {Math.min(step, entries.length - shown)} more
        </button>
      )}
    </details>
  );
}

function isNested(value: Json): value is readonly Json[] | { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !(value instanceof NumberText);
}

function Leaf({ value }: { value: string | boolean | null | NumberText }) {
  if (value instanceof NumberText) return <span class="tree-number">{value.text}</span>;
  if (typeof value === 'string') return <span class="tree-text">{JSON.stringify(value)}</span>;
  return <span class="none">{String(value)}</span>;
}
