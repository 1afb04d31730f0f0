// Draws numbers as bars, with the number next to each.
import type { ComponentChildren } from 'preact'
import { contestedNote } from '../../rules/notes.ts'

type Part = { look: string; from?: number; width: number }

function Picture({ parts, children }: { parts: readonly Part[]; children: ComponentChildren }) {
  return (
    <span class="bar">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ look, from = 0, width }) => (
          <rect key={look} class={look} x={from} y="0" width={width} height="8" />
        ))}
      </svg>
      <span class="bar-text">{children}</span>
    </span>
  )
}

type Props = {
  part: number
  whole: number
  /** Number of contested items in `part`, drawn separately. */
  contested?: number
}

export function Bar({ part, whole, contested = 0 }: Props) {
  const share = (count: number) => (whole === 0 ? 0 : (100 * count) / whole)
  const certain = share(part - contested)
  return (
    <Picture
      parts={[
        { look: 'bar-whole', width: 100 },
        { look: 'bar-part', width: certain },
        { look: 'bar-contested', from: certain, width: share(contested) },
      ]}
    >
      {part} of {whole}
      {contestedNote(contested)}
    </Picture>
  )
}

/** Draws an amount; the longest bar is the largest amount of the column. */
export function AmountBar({ amount, most }: { amount: number; most: number }) {
  return (
    <Picture parts={[{ look: 'amount', width: most === 0 ? 0 : (100 * amount) / most }]}>
      {amount.toLocaleString('en-US', { maximumFractionDigits: 20 })}
    </Picture>
  )
}
