// Shows that a list is cut, and loads more of it.
import type { ComponentChildren } from 'preact'

/** @param more loads the next entries; null on the last page */
export function Cut({ more, children }: { more: (() => void) | null; children: ComponentChildren }) {
  if (more === null) return null
  return (
    <p class="cut">
      {children}{' '}
      <button type="button" onClick={more}>
        Show more
      </button>
    </p>
  )
}
