// Draws the summary at the top of a view.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

export function Sentence({ title, children }: { title?: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = title === undefined ? 'Turngraph' : `${title} · Turngraph`
  }, [title])
  return (
    <header class="sentence">
      {title !== undefined && (
        <h1>
          <bdi>{title}</bdi>
        </h1>
      )}
      <p>{children}</p>
    </header>
  )
}
