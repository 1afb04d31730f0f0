// Draws the editor of a query: a plain text box until CodeMirror is loaded, and if it cannot be loaded.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Editor, Schema } from './code-mirror.ts'

type Props = {
  text: string
  /** Text from outside the editor. A new value replaces the text of the editor, but not while somebody types. */
  filled: { query: string }
  change: (text: string) => void
  run: () => void
  schema: Schema | null
}

export function CypherEditor({ text, filled, change, run, schema }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const [editor, setEditor] = useState<Editor | null>(null)
  const latest = useRef({ text, change, run })
  latest.current = { text, change, run }
  useEffect(() => {
    let isGone = false
    let made: Editor | null = null
    import('./code-mirror.ts').then(({ createEditor }) => {
      if (isGone || place.current === null) return
      made = createEditor(place.current, {
        text: latest.current.text,
        caret: document.activeElement === box.current ? (box.current?.selectionEnd ?? null) : null,
        change: (given) => latest.current.change(given),
        run: () => latest.current.run(),
      })
      setEditor(made)
    })
    return () => {
      isGone = true
      made?.destroy()
    }
  }, [])
  useEffect(() => editor?.write(filled.query), [filled]) // a new editor has the text of the box already
  useEffect(() => {
    if (schema !== null) editor?.complete(schema)
  }, [editor, schema])
  return (
    <div class="editor">
      <div ref={place} />
      {editor === null && (
        <textarea
          ref={box}
          aria-label="Cypher query"
          rows={8}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
          }}
        />
      )}
    </div>
  )
}
