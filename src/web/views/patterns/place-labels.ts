// Places the labels of a scatter so that none covers another: one that finds no room is left out. Pure.

export type Point = { x: number; y: number; label: string }
export type PlacedLabel = { x: number; y: number; label: string; anchor: 'start' | 'end' }

type Box = { left: number; right: number; top: number; bottom: number }

const LETTER = 6.2
const LINE = 12
const AWAY = 7

/** @param points the most important first */
export function placeLabels(points: readonly Point[], width: number): PlacedLabel[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 }))
  return points.flatMap((point) => {
    const length = point.label.length * LETTER
    const free = CHOICES.map(({ side, down }) => {
      const y = point.y + down
      const left = side === 'start' ? point.x + AWAY : point.x - AWAY - length
      const box = { left, right: left + length, top: y - LINE + 3, bottom: y + 3 }
      return {
        box,
        placed: { x: point.x + (side === 'start' ? AWAY : -AWAY), y, label: point.label, anchor: side },
      }
    }).find(({ box }) => box.left >= 0 && box.right <= width && !taken.some((other) => overlap(box, other)))
    if (free === undefined) return []
    taken.push(free.box)
    return [free.placed]
  })
}

const CHOICES: readonly { side: 'start' | 'end'; down: number }[] = [
  { side: 'start', down: 4 },
  { side: 'end', down: 4 },
  { side: 'start', down: -6 },
  { side: 'start', down: 14 },
  { side: 'end', down: -6 },
  { side: 'end', down: 14 },
]

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
