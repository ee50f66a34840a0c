import {
  autocompletion,
  type Completion,
  type CompletionContext,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { MariaSQL, MySQL, PostgreSQL, type SQLDialect, SQLite, sql } from '@codemirror/lang-sql';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';
import { completeNames, findUsedTables } from './complete-names.ts';
import { editorTheme, highlighting } from './editor-theme.ts';
import type { SchemaNames } from './schema-names.ts';
import { writeName } from './sql-names.ts';

interface EditorProps {
  /** Another object replaces what was written. What is written is not given back: it would undo what was typed meanwhile. */
  given: { text: string };
  /** The engine, as connections name it. */
  type: string;
  names: SchemaNames | undefined;
  onChange(text: string): void;
  /** Gets what is selected, or else everything. */
  onRun(sql: string): void;
}

const dialects: Readonly<Record<string, SQLDialect>> = {
  postgres: PostgreSQL,
  mysql: MySQL,
  mariadb: MariaSQL,
  sqlite: SQLite,
};

/** An editor for SQL. It is in a shadow root, because only there its style is no element, which the policy of the page refuses. */
export function SqlEditor({ given, type, names, onChange, onRun }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const latest = useRef({ names, onChange, onRun });
  latest.current = { names, onChange, onRun };
  const language = useRef(new Compartment());
  useEffect(() => {
    if (place.current === null) return undefined;
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' });
    const complete = (context: CompletionContext) => completeAt(context, latest.current.names);
    const extensions = [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: (view) => runStatement(view, latest.current.onRun) }])),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return;
        latest.current.onChange(state.doc.toString());
        void latest.current.names?.load();
      }),
      language.current.of([]),
      EditorState.languageData.of(() => [{ autocomplete: complete }]),
      ...fixedExtensions,
    ];
    const view = new EditorView({ state: EditorState.create({ doc: given.text, extensions }), parent: root, root });
    editor.current = view;
    return () => view.destroy();
  }, []);
  useEffect(() => {
    const dialect = dialects[type] ?? PostgreSQL;
    editor.current?.dispatch({ effects: language.current.reconfigure(sql({ dialect, upperCaseKeywords: false })) });
  }, [type]);
  useEffect(() => {
    const view = editor.current;
    if (view === undefined || view.state.doc.toString() === given.text) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: given.text } });
  }, [given]);
  return <div class="editor" ref={place} />;
}

const fixedExtensions: readonly Extension[] = [
  lineNumbers(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  bracketMatching(),
  autocompletion({ icons: false }),
  // The tab key leaves the editor, as it leaves every other field.
  keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
  syntaxHighlighting(highlighting),
  editorTheme,
  EditorView.lineWrapping,
  placeholder('select …'),
  EditorView.contentAttributes.of({ 'aria-label': 'SQL statement', spellcheck: 'false' }),
];

function runStatement(view: EditorView, run: (sql: string) => void): boolean {
  const { state } = view;
  closeCompletion(view);
  const { from, to } = state.selection.main;
  run(from === to ? state.doc.toString() : state.sliceDoc(from, to));
  return true;
}

const ranks = { column: 3, alias: 2, table: 1, schema: 0 };

async function completeAt(context: CompletionContext, names: SchemaNames | undefined) {
  const word = context.matchBefore(/["`]?[\p{L}\p{N}_$]*/u);
  const isAfterDot = context.state.sliceDoc(Math.max(0, (word?.from ?? context.pos) - 1), word?.from ?? context.pos) === '.';
  if (names === undefined || word === null || (word.from === word.to && !context.explicit && !isAfterDot)) return null;
  await names.load();
  const text = context.state.doc.toString();
  await names.describe(findUsedTables(text, context.pos, names));
  if (context.aborted) return null;
  const [quote = ''] = /^["`]/.exec(word.text) ?? [];
  const options = completeNames(text, word.from, names).map(({ name, kind, detail }): Completion => {
    const apply = quote === '' ? writeName(name, names.rules) : `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
    return { label: quote + name, displayLabel: name, apply, type: kind, detail, boost: ranks[kind] };
  });
  const isClosed = quote !== '' && context.state.sliceDoc(context.pos, context.pos + 1) === quote;
  const to = isClosed ? context.pos + 1 : context.pos;
  return { from: word.from, to, options, ...(isClosed ? {} : { validFor: /^["`]?[\p{L}\p{N}_$]*$/u }) };
}
