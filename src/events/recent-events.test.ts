import { expect, test } from 'vitest'
import type { ChangeEvent } from './change-event.ts'
import { type RecentEvent, RecentEvents } from './recent-events.ts'

const event = { type: 'session' } as ChangeEvent
const events = (from: number, count: number): RecentEvent[] =>
  Array.from({ length: count }, (_, i) => ({ id: `session ${from + i}`, version: from + i, since: 0, event }))
const versions = (recent: RecentEvents, place: number) =>
  recent.newestFrom(place).map(({ version }) => version)

test('a reader gets the events after its position, only the newest one of each record', () => {
  const recent = new RecentEvents()
  recent.add(events(1, 3))
  const place = recent.end
  recent.add([...events(7, 2), { id: 'session 7', version: 9, since: 0, event }])
  expect(versions(recent, place)).toEqual([8, 9])
  expect(versions(recent, recent.end)).toEqual([])
})

test('positions stay valid when older events are dropped; a dropped position does not exist any more', () => {
  const recent = new RecentEvents()
  recent.add(events(0, 10))
  const early = recent.end
  for (let at = 10; at < 3_000; at += 10) recent.add(events(at, 10))
  const late = recent.end
  expect(recent.has(early)).toBe(true)
  for (let at = 3_000; at < 4_500; at += 10) recent.add(events(at, 10))
  expect(recent.has(early)).toBe(false)
  expect(recent.has(late)).toBe(true)
  expect(versions(recent, late)).toEqual(events(3_000, 1_500).map(({ version }) => version))
  recent.clear()
  expect(recent.has(late)).toBe(false)
  expect(recent.has(recent.end)).toBe(true)
})
