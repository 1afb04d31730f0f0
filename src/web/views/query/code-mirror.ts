// CodeMirror with the colors of Cypher, and completion from the schema of the graph. It runs in a shadow root, where its
// styles are adopted sheets: the policy of the page blocks the `<style>` that CodeMirror creates in a document.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { cypher } from '@codemirror/legacy-modes/mode/cypher'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Answered } from '../../service/operations.ts'

export type Schema = Answered<'describeGraph'>

export type Editor = {
  write(text: string): void
  complete(schema: Schema): void
  destroy(): void
}

type Wiring = {
  text: string
  /** Position in the text box that has the focus: the editor gets both. Null if the box does not have the focus. */
  caret: number | null
  change: (text: string) => void
  run: () => void
}

export function createEditor(place: HTMLElement, { text, caret, change, run }: Wiring): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
  const completion = new Compartment()
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      ...(caret !== null && { selection: { anchor: caret } }),
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => runQuery(run) }])),
        history(),
        bracketMatching(),
        completion.of([]),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        StreamLanguage.define(cypher),
        syntaxHighlighting(COLORS),
        placeholder('MATCH (w:World) RETURN w.slug, w.currentTurn LIMIT 10'),
        EditorView.lineWrapping,
        EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
        EditorView.contentAttributes.of({ 'aria-label': 'Cypher query', spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) change(update.state.doc.toString())
        }),
        THEME,
      ],
    }),
  })
  if (caret !== null) view.focus()
  return {
    write(given) {
      const { length } = view.state.doc
      if (view.state.doc.toString() !== given)
        view.dispatch({ changes: { from: 0, to: length, insert: given } })
    },
    complete(schema) {
      const source = (context: CompletionContext) => completeFrom(schema, context)
      view.dispatch({ effects: completion.reconfigure(autocompletion({ override: [source] })) })
    },
    destroy: () => view.destroy(),
  }
}

/**
 * Replaces the selection with the typed text. By default, Chromium copies the style of the selected text to a style attribute,
 * which the content security policy of the page blocks with an error in the console.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { inputType, data, isComposing } = event
  if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty)
    return false
  event.preventDefault()
  view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
  return true
}

/** Runs the query. Returns true, which marks the key as handled. */
function runQuery(run: () => void): true {
  run()
  return true
}

/** Completes a label after `(:`, a type after `[:`, a property after `.`, a parameter after `$`, otherwise a word of Cypher. */
function completeFrom(schema: Schema, context: CompletionContext) {
  const before = context.matchBefore(/[\w$:.([]*$/)
  const typed = before?.text ?? ''
  const word = /\w*$/.exec(typed)?.[0] ?? ''
  if (typed === '' && !context.explicit) return null
  const sign = typed.slice(0, typed.length - word.length).at(-1)
  return { from: context.pos - word.length, options: optionsAfter(sign, schema, context), validFor: /^\w*$/ }
}

function optionsAfter(sign: string | undefined, schema: Schema, context: CompletionContext): Completion[] {
  if (sign === ':') {
    return [
      ...schema.nodes.map(({ label, meaning }) => ({ label, info: meaning, type: 'class' })),
      ...schema.relationships.map(({ type, meaning }) => ({ label: type, info: meaning, type: 'interface' })),
    ]
  }
  if (sign === '.') return [...new Set(propertiesIn(schema))].map((label) => ({ label, type: 'property' }))
  if (sign === '$') {
    const named = context.state.doc.toString().matchAll(/\$(\w+)/g)
    const names = new Set(['project', ...[...named].flatMap(([, name]) => name ?? [])])
    return [...names].map((label) => ({ label, type: 'variable' }))
  }
  return WORDS.map((label) => ({ label, type: 'keyword' }))
}

const propertiesIn = ({ nodes, relationships }: Schema): string[] =>
  [...nodes, ...relationships].flatMap(({ properties }) => properties.map(({ name }) => name))

const WORDS = (
  'MATCH OPTIONAL WHERE WITH RETURN ORDER BY SKIP LIMIT UNWIND DISTINCT AS AND OR NOT IN IS NULL CASE WHEN ' +
  'THEN ELSE END CALL UNION count collect size coalesce toLower labels type properties datetime duration'
).split(' ')

/** Colors of the page: a shadow root inherits its custom properties. */
const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.number, tags.bool], color: 'var(--bad-text)' },
  { tag: tags.comment, color: 'var(--text-quiet)', fontStyle: 'italic' },
  { tag: [tags.definition(tags.variableName), tags.standard(tags.variableName)], color: 'var(--other)' },
])

const THEME = EditorView.theme({
  '&': {
    border: '1px solid var(--hairline-strong)',
    borderRadius: '3px',
    background: 'var(--ground)',
    color: 'var(--text)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': {
    minHeight: '136px',
    maxHeight: '50vh',
    fontFamily: 'var(--type-code)',
    lineHeight: '20px',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 4px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-placeholder': { color: 'var(--text-quiet)' },
  '.cm-tooltip': {
    border: '1px solid var(--hairline-strong)',
    background: 'var(--ground)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent)', color: 'var(--ground)' },
})
