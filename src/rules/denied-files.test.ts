import { describe, expect, test } from 'vitest'
import { findDeniedFiles } from './denied-files.ts'

const A = 'src/till.ts'
const B = 'src/sum.ts'
const SPACED = 'docs/how it works.md'

const deniedBy = (...descriptions: string[]) =>
  findDeniedFiles({
    filesModified: [A, `./${B}`, SPACED],
    filesSource: null,
    issues: descriptions.map((description) => ({ description })),
  })

const guardKit = (file: string) =>
  `Deterministic record (severity=should_fix): Player claim: Player claimed file ${file}. Actual: Path is tracked in git but 'git status --porcelain' shows no change for it — the Player claimed work on a file (e.g. ${B}).`

describe('files that git shows as unchanged', () => {
  test.each([
    ['a record of GuardKit', guardKit(A), [A]],
    ['a record about a path with spaces', guardKit(SPACED), [SPACED]],
    ['two records in one text', `- ${guardKit(A)}\n- ${guardKit(B)}`, [A, `./${B}`]],
    [
      'a record of the evidence file',
      `Player claimed file ${A}. Path is tracked in git but 'git status --porcelain' shows no change for it`,
      [A],
    ],
    [
      'a list after a colon',
      `2 files claimed as modified show no changes in git status: ${A}, ${B}.`,
      [A, `./${B}`],
    ],
    [
      'a list in parentheses',
      `All 2 files (${A}, ${B}) show NO actual git changes this turn.`,
      [A, `./${B}`],
    ],
    [
      'a list behind "but"',
      `The check shows 1 file but 'git status' shows no changes for them: ${A}. More.`,
      [A],
    ],
    [
      'a list ahead of "but"',
      `The Player reported 2 files in turn 5 (${A}, ${B}) but git status shows no changes for these files this turn.`,
      [A, `./${B}`],
    ],
    ['backticks', `\`${A}\` is in files_modified, but \`git status\` shows no change`, [A]],
    ['"unmodified"', `git reports ${A} as unmodified.`, [A]],
    ['"was not modified"', `${A}:12 was not actually modified according to git.`, [A]],
    ['"no diff"', `There is no diff of ${B} in git.`, [`./${B}`]],
    ['a path in a worktree', `git shows no change for /w/.guardkit/worktrees/F/${A}`, [A]],
    ['a change of another file', `${B} was changed, whereas git shows no change for ${A}`, [A]],
    ['a change of another file without "but"', `git shows that ${B} was modified and ${A} unchanged`, [A]],
    ['a claim that is called modified', `${A}, listed as modified, is unchanged according to git.`, [A]],
    ['a change of another file behind', `git shows no change for ${A}, but ${B} was changed`, [A]],
  ])('%s denies', (_, text, expected) => expect(deniedBy(text)).toEqual(expected))

  test.each([
    ['a text without git', `${A} was not changed.`],
    ['git as a part of a path', `tools/git/log.ts and ${A} are unchanged.`],
    ['git in another sentence', `Use git. ${A} is unchanged.`],
    ['another file', 'git shows no change for src/other.ts'],
    ['a part of a path', `git shows no change for packages/x/${A}`],
    ['a pattern of paths', 'git shows no change for src/*.ts'],
    ['a request', `git should show no change for ${A}.`],
    ['a condition', `If git shows no change for ${A}, commit it.`],
    ['a missing change of something else', `${A} was changed, but git shows no changes to its tests.`],
    ['an exception', `git shows no changes except in ${A}`],
    ['all other files', `git shows no changes other than ${A}`],
    ['the files outside', `git status: no changes outside ${A}.`],
    ['a change', `git shows changes in ${A}.`],
  ])('%s denies nothing', (_, text) => expect(deniedBy(text)).toEqual([]))

  test('the entries of several issues add up, in the order of the claim', () => {
    expect(deniedBy(guardKit(B), 'Round it', `git shows no change for ${A}`)).toEqual([A, `./${B}`])
  })

  test('no file is denied if the list comes from git or is empty', () => {
    const issues = [{ description: guardKit(A) }]
    expect(findDeniedFiles({ filesModified: [A], filesSource: 'git', issues })).toEqual([])
    expect(findDeniedFiles({ filesModified: [], filesSource: null, issues })).toEqual([])
  })
})
