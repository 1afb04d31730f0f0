// Draws a part of a whole as a bar, with the numbers beside it.

export function Bar({ part, whole }: { part: number; whole: number }) {
  const share = whole === 0 ? 0 : (100 * part) / whole
  return (
    <span class="bar">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-whole" x="0" y="0" width="100" height="8" />
        <rect class="bar-part" x="0" y="0" width={share} height="8" />
      </svg>
      <span class="bar-text">
        {part} of {whole}
      </span>
    </span>
  )
}
