// Draws an amount as a bar next to its number: the longest bar is the largest amount of the column.

export function AmountBar({ amount, most }: { amount: number; most: number }) {
  return (
    <span class="bar">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="amount" x="0" y="0" width={most === 0 ? 0 : (100 * amount) / most} height="8" />
      </svg>
      <span class="bar-text">{amount.toLocaleString('en-US', { maximumFractionDigits: 20 })}</span>
    </span>
  )
}
