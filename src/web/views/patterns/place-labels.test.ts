import { expect, test } from 'vitest'
import { placeLabels } from './place-labels.ts'

test('places each label beside its point, and covers no other point and no other label', () => {
  const points = [
    { x: 20, y: 50, label: 'Read' },
    { x: 60, y: 50, label: 'Bash' },
    { x: 390, y: 20, label: 'Edit' },
  ]
  const placed = placeLabels(points, 400)
  expect(placed.map(({ label }) => label)).toEqual(['Read', 'Bash', 'Edit'])
  expect(placed[2]?.anchor).toBe('end')
})

test('leaves out the label that finds no room, and never the first one', () => {
  const crowd = Array.from({ length: 30 }, (_, i) => ({ x: 50, y: 50, label: `tool ${i}` }))
  const placed = placeLabels(
    crowd.map((point, i) => ({ ...point, y: 50 + (i % 2) * 400 })),
    400,
  )
  expect(placed.length).toBeLessThan(30)
})
