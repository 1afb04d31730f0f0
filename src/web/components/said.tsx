// Draws a text of a record with its inline code and emphasis. A long text scrolls in its own region, so that the page stays short.
import { InlineText } from './inline-text.tsx'

const MAX_CHARACTERS = 2_000
const MAX_LINES = 40

export function Said({ text }: { text: string }) {
  const isLong = text.length > MAX_CHARACTERS || text.split('\n').length > MAX_LINES
  return (
    <p class="said" {...(isLong && LONG)}>
      <InlineText text={text} />
    </p>
  )
}

/** The keyboard must reach a scrollable region. */
const LONG = { class: 'said scrolled', role: 'group', tabIndex: 0, 'aria-label': 'Long text' } as const
