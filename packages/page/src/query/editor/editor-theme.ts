import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The variables of the page reach into the shadow root, so it is right in dark and light. */
export const editorTheme = EditorView.theme({
  '&': {
    minHeight: '7rem',
    maxHeight: '40vh',
    border: '1px solid var(--quiet)',
    borderRadius: '4px',
    backgroundColor: 'var(--back)',
    color: 'var(--front)',
    fontSize: '0.9rem',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--front)', padding: '0.4rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--front)' },
  '.cm-gutters': { backgroundColor: 'var(--soft)', color: 'var(--quiet)', border: 'none' },
  '.cm-placeholder': { color: 'var(--quiet)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--focus) 30%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-tooltip': { border: '1px solid var(--quiet)', backgroundColor: 'var(--back)', color: 'var(--front)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'var(--quiet)', fontStyle: 'normal' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
});

export const highlighting = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--busy)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--quiet)' },
  { tag: tags.typeName, color: 'var(--warn)' },
]);
