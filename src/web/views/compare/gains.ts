// Adds up the gains of a session by turn, and places them on shared axes. Pure.

export type Gains = {
  turns: number
  criteria: number
  gains: readonly { turn: number; gained: number }[]
}

/** Size of the picture that `drawSteps` fills. */
export const PICTURE = { width: 100, height: 40 }

/** Returns the number of proven criteria after each turn that verified one for the first time. */
export function sumGains({ gains }: Gains): Map<number, number> {
  const sums = new Map<number, number>()
  let sum = 0
  for (const { turn, gained } of gains) {
    sum += gained
    sums.set(turn, sum)
  }
  return sums
}

/** Draws the proven criteria of a session as steps. Both axes are shared by the compared sessions. */
export function drawSteps(of: Gains, lastTurn: number, most: number): string {
  const x = (turn: number) => round((turn / Math.max(1, lastTurn)) * PICTURE.width)
  const y = (count: number) => round(PICTURE.height - (count / Math.max(1, most)) * PICTURE.height)
  const steps = [...sumGains(of)].map(([turn, count]) => `H${x(turn)}V${y(count)}`)
  return `M0 ${y(0)}${steps.join('')}H${x(of.turns)}`
}

const round = (value: number): number => Math.round(value * 100) / 100
