import { describe, expect, test } from 'vitest'
import { countChangedBetween, listChangedFiles, type TurnFiles } from './file-changes.ts'

const changedIn = (turn: number, files: string[], isKnown = true): TurnFiles => ({
  turn,
  isKnown,
  files,
})

describe('changed files', () => {
  test('a file counts once, however it is spelled', () => {
    const changed = listChangedFiles([changedIn(1, ['src/a.ts', './src/b.ts']), changedIn(2, ['src/b.ts'])])
    expect(countChangedBetween(changed, 1, 2)).toBe(1)
    expect(countChangedBetween(changed, 0, 2)).toBe(2)
  })

  test('a turn whose files are unknown does not count as a turn without changes', () => {
    const changed = listChangedFiles([changedIn(1, []), changedIn(2, [], false)])
    expect(countChangedBetween(changed, 0, 1)).toBe(0)
    expect(countChangedBetween(changed, 0, 2)).toBeNull()
    expect(countChangedBetween(changed, 1, 3)).toBeNull()
  })
})
