// Draws the outcome of a session in words.
const WARNED = ['blocked', 'stalled', 'regressed', 'approved with gaps', 'stopped by ']

export function Outcome({ outcome }: { outcome: string }) {
  const isWarned = WARNED.some((start) => outcome.startsWith(start))
  return (
    <span class={isWarned ? 'warned' : undefined}>
      <bdi>{outcome}</bdi>
    </span>
  )
}
