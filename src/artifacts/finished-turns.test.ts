import { expect, test } from 'vitest'
import { type FileStamps, finishedTurns, mayStillBeNamed } from './finished-turns.ts'
import type { FoundFile, TaskFolder } from './folders.ts'

const [MINUTE, NOW] = [60_000, Date.UTC(2026, 0, 1)]

const fileOf = (name: string): FoundFile => ({ name, path: `/t/${name}`, shown: name })

/** A folder with turn files such as `player 2`, each with its age in minutes. */
function folderOf(ages: Record<string, number>): { folder: TaskFolder; stamps: FileStamps } {
  const turns = new Map<number, Record<string, FoundFile>>()
  const stamps = new Map<string, { changedAt: number; size: number; inode: number }>()
  for (const [name, age] of Object.entries(ages)) {
    const [kind = '', turn] = name.split(' ')
    const file = fileOf(name)
    stamps.set(file.path, { changedAt: NOW - age * MINUTE, size: 1, inode: 1 })
    if (turn !== undefined) turns.set(Number(turn), { ...turns.get(Number(turn)), [kind]: file })
  }
  const named = (name: string) => (name in ages ? { [name]: fileOf(name) } : {})
  const folder = {
    taskId: 't',
    folder: '/t',
    turns,
    events: [],
    ...named('results'),
    ...named('checkpoints'),
  }
  return { folder, stamps }
}

function finishedIn(ages: Record<string, number>): (number | string)[] {
  const { folder, stamps } = folderOf(ages)
  const { turns, results } = finishedTurns(folder, stamps, NOW)
  return [...turns.keys(), ...(results === undefined ? [] : ['results'])]
}

test("a turn is finished with the Coach's report or the turn state", () => {
  expect(finishedIn({ 'player 1': 5, 'coach 1': 1 })).toEqual([1])
  expect(finishedIn({ 'turn_state 1': 1 })).toEqual([1])
  expect(finishedIn({ 'player 1': 5 })).toEqual([])
  expect(finishedIn({ 'coach 1': 0 })).toEqual([])
})

const SECONDS = 1 / 60

test('a turn without a turn state is finished when its folder did not change for five seconds', () => {
  const first = { 'player 1': 20, 'coach 1': 15, 'turn_state 1': 15 }
  expect(finishedIn({ ...first, 'player 2': 5, 'coach 2': 4 * SECONDS })).toEqual([1])
  expect(finishedIn({ ...first, 'player 2': 5, 'coach 2': 6 * SECONDS })).toEqual([1, 2])
  expect(finishedIn({ 'player 1': 5, 'coach 1': 4 * SECONDS })).toEqual([])
})

test('a turn is finished at once with its reports, its turn state and a checkpoint, if the session writes these', () => {
  const first = { 'player 1': 20, 'coach 1': 15, 'turn_state 1': 15 }
  const second = { 'player 2': 5, 'coach 2': 2 * SECONDS, 'turn_state 2': SECONDS }
  expect(finishedIn({ ...first, ...second })).toEqual([1, 2])
  expect(finishedIn({ ...first, ...second, checkpoints: 15 })).toEqual([1])
  expect(finishedIn({ ...first, ...second, checkpoints: 0 })).toEqual([1, 2])
  expect(finishedIn({ ...first, ...second, 'coach_feedback_for 3': 0, 'player 3': 0 })).toEqual([1])
})

test('the new turns of a folder that is being copied wait for each other, in any order of the files', () => {
  const both = { 'player 1': SECONDS, 'coach 1': SECONDS, 'turn_state 1': SECONDS, 'coach 2': SECONDS }
  expect(finishedIn(both)).toEqual([])
  expect(finishedIn({ 'player 2': SECONDS, 'coach 2': SECONDS, 'turn_state 2': SECONDS })).toEqual([])
  expect(finishedIn({ ...both, 'player 2': SECONDS, 'turn_state 2': 0 })).toEqual([1, 2])
})

test('a file with a time in the future delays nothing', () => {
  expect(finishedIn({ 'player 1': -10, 'coach 1': -10 })).toEqual([1])
})

test('a turn is finished if a later turn has begun, or if its files did not change for half an hour', () => {
  expect(finishedIn({ 'player 1': 9, 'player 2': 5 })).toEqual([1])
  expect(finishedIn({ 'player 1': 31 })).toEqual([1])
})

test('judgements of an earlier run do not finish a turn of a re-run', () => {
  expect(finishedIn({ 'player 1': 2, 'coach 1': 50, 'turn_state 1': 50, 'turn_state 2': 45 })).toEqual([2])
  expect(finishedIn({ 'player 1': 2, 'coach 1': 1, 'turn_state 1': 50, 'turn_state 2': 45 })).toEqual([2])
  expect(finishedIn({ 'player 1': 2, 'coach 1': 1, 'turn_state 1': 0, 'turn_state 2': 45 })).toEqual([1, 2])
})

test('a copy whose files have another order is finished too', () => {
  expect(finishedIn({ 'coach 1': 0.5, 'player 1': 0.2 })).toEqual([1])
})

test('task_work_results.json stays with the turn that wrote it', () => {
  const first = { 'player 1': 9, 'coach 1': 5, 'turn_state 1': 5 }
  expect(finishedIn({ ...first, results: 9 })).toEqual([1, 'results'])
  expect(finishedIn({ ...first, results: 4.5 })).toEqual([1, 'results'])
  expect(finishedIn({ ...first, results: 1 })).toEqual([1])
  expect(finishedIn({ ...first, results: 4.5, 'player 2': 4 })).toEqual([1])
  expect(finishedIn({ 'player 1': 90, 'coach 1': 80, results: 60 })).toEqual([1, 'results'])
})

test('a turn without a state may still get its feature, until a checkpoint closes it or five seconds pass', () => {
  const mayBe = (ages: Record<string, number>) => {
    const { folder, stamps } = folderOf(ages)
    return mayStillBeNamed(folder, stamps, NOW)
  }
  expect(mayBe({ 'player 1': 3, 'coach 1': 0.05 })).toBe(true)
  expect(mayBe({ 'player 1': 3, 'coach 1': 0.05, checkpoints: 20 })).toBe(true)
  expect(mayBe({ 'player 1': 3, 'coach 1': 0.05, checkpoints: 0.04 })).toBe(false)
  expect(mayBe({ 'player 1': 3, 'coach 1': 0.1 })).toBe(false)
})
