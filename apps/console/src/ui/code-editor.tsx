import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange?: (value: string) => void;
  /** Shows how the text differs from this one. Default: no differences are shown. */
  readonly original?: string | undefined;
  readonly isReadOnly?: boolean;
}

/**
 * A YAML editor. It lives in a shadow root, where its styles are style sheets made by script: the content security
 * policy of the page allows no inline styles.
 */
export function CodeEditor({ label, value, onChange, original, isReadOnly = false }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const report = useRef(onChange);
  report.current = onChange;
  const merge = useRef(new Compartment());
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          ...editing(label, isReadOnly),
          merge.current.of(differences(original)),
          EditorView.updateListener.of(update => {
            if (update.docChanged) report.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: merge.current.reconfigure(differences(original)) });
  }, [original]);
  return <div ref={host} className="editor" />;
}

const differences = (original: string | undefined): Extension =>
  original === undefined ? [] : unifiedMergeView({ original, mergeControls: false, gutter: true });

const editing = (label: string, isReadOnly: boolean): readonly Extension[] => [
  lineNumbers(),
  highlightActiveLine(),
  // Marks that would change the direction of the text are shown, not obeyed.
  highlightSpecialChars({ addSpecialChars: /[\u202a-\u202c\u2068]/ }),
  history(),
  yaml(),
  syntaxHighlighting(highlight),
  // Tab leaves the editor, for people without a pointer; Ctrl-] and Ctrl-[ indent.
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorState.readOnly.of(isReadOnly),
  // What is longer than the editor is scrolled by keys.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.lineWrapping,
  theme,
];

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string), tags.content], color: 'var(--code-value)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)' },
]);

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px', height: '100%' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface-2)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--inserted)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--deleted)' },
  '.cm-changedText': { background: 'none !important', textDecoration: 'underline' },
  '.cm-deletedText': { background: 'none !important', textDecoration: 'line-through' },
  '.cm-specialChar': { color: 'var(--danger)' },
});
