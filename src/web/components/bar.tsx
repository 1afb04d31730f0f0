// Draws a part of a whole as a bar, with the numbers next to it.
import { contestedNote } from '../../rules/notes.ts'

type Props = {
  part: number
  whole: number
  /** Number of contested items in `part`, drawn separately. */
  contested?: number
}

export function Bar({ part, whole, contested = 0 }: Props) {
  const share = (count: number) => (whole === 0 ? 0 : (100 * count) / whole)
  return (
    <span class="bar">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-whole" x="0" y="0" width="100" height="8" />
        <rect class="bar-part" x="0" y="0" width={share(part - contested)} height="8" />
        {contested > 0 && (
          <rect class="bar-contested" x={share(part - contested)} y="0" width={share(contested)} height="8" />
        )}
      </svg>
      <span class="bar-text">
        {part} of {whole}
        {contestedNote(contested)}
      </span>
    </span>
  )
}
