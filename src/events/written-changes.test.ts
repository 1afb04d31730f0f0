import { expect, test } from 'vitest'
import { allStatements, statement } from '../graph/statements.ts'
import { listWrittenChanges, SETS_VERSION } from './written-changes.ts'

/** Statements whose changes the next read finds within a second. They write many records, and rarely run. */
const FOUND_BY_A_LOOK = ['restore/standings', 'restore/versions']

test('every statement that changes a version names the changed records in its parameters or its result', () => {
  const nameless = allStatements()
    .filter(({ text }) => SETS_VERSION.test(text))
    .filter(({ params, text }) => !params.includes('worldKey') && !text.includes('AS changedWorlds'))
    .map(({ name }) => name)
  expect(nameless.filter((name) => !name.startsWith('restore/write-')).sort()).toEqual([
    ...FOUND_BY_A_LOOK,
    'transcripts/write-files', // by `$batch.files`
  ])
})

test('a statement that changes no version reports no change, even if it names a world', () => {
  const step = { statement: statement('runs/lock'), params: { worldKey: 'shop/TASK-1' } }
  expect(listWrittenChanges({ step, rows: [] })).toEqual([])
})
