import { describe, expect, test } from 'vitest'
import { type ClaimedFiles, countChangedBetween, listChangedFiles } from './file-changes.ts'

const denial = (path: string) =>
  `Player claim: Player claimed file ${path}. Actual: Path is tracked in git but 'git status --porcelain' shows no change for it`

const claim = (turn: number, files: string[], more: Partial<ClaimedFiles> = {}): ClaimedFiles => ({
  turn,
  isReported: true,
  files,
  denials: [],
  ...more,
})

describe('changed files', () => {
  test('a claim that git denies in the same turn is no change', () => {
    const changed = listChangedFiles([
      claim(1, ['src/a.ts', './src/b.ts'], { denials: [denial('src/a.ts')] }),
      claim(2, ['src/a.ts'], { denials: [denial('src/a.ts')] }),
    ])
    expect(changed).toEqual(
      new Map([
        [1, ['src/b.ts']],
        [2, []],
      ]),
    )
    expect(countChangedBetween(changed, 1, 2)).toBe(0)
    expect(countChangedBetween(changed, 0, 2)).toBe(1)
  })

  test('a turn without a report is not known to change nothing', () => {
    const changed = listChangedFiles([claim(1, []), claim(2, [], { isReported: false })])
    expect(countChangedBetween(changed, 0, 1)).toBe(0)
    expect(countChangedBetween(changed, 0, 2)).toBeNull()
    expect(countChangedBetween(changed, 1, 3)).toBeNull()
  })
})
