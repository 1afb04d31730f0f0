import { expect, test } from 'vitest'
import { groupSessions } from './sessions-by-state.tsx'

const session = (world_slug: string, task_id: string, outcome: string, hour: number) => ({
  ...{ project: 'shop', feature_id: 'F', task_id, world_slug, outcome },
  last_activity: `2026-03-01T${String(hour).padStart(2, '0')}:00:00Z`,
})

test('re-runs of a task are one row, and running sessions are apart', () => {
  const sessions = [
    session('a', 'A', 'superseded by a.2', 1),
    session('b', 'B', 'abandoned', 3),
    session('a.2', 'A', 'approved', 4),
    session('c', 'C', 'running', 2),
  ]
  const { running, finished } = groupSessions(sessions)
  const slugs = (list: readonly { world_slug: string }[]) => list.map(({ world_slug }) => world_slug)
  expect(slugs(running)).toEqual(['c'])
  expect(finished.map(({ newest, earlier }) => [newest.world_slug, slugs(earlier)])).toEqual([
    ['a.2', ['a']],
    ['b', []],
  ])
})
