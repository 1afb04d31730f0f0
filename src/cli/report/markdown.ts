/** Renders sessions as Markdown for GitHub: a comment on a pull request, or the summary of a job. Pure. */

import { groupDigits } from '../../core/group-digits.ts'
import { plural } from '../../core/plural.ts'
import { describeBases, noteBasis } from '../../rules/basis.ts'
import { toGitHubText } from '../../rules/github-text.ts'
import { countCriteria, describeCounts, describeState, promisedNote } from '../../rules/notes.ts'
import { bySeverity } from '../../rules/severity.ts'
import { totalTokens } from '../../rules/turn-tokens.ts'
import type { SessionFacts } from './session-facts.ts'

/** Maximum number of characters of a comment on GitHub. */
export const MAX_COMMENT_CHARACTERS = 65_536

/** Room for the marker of a comment and the last line, which names what was left out. */
const RESERVED_CHARACTERS = 1_000

/** Maximum part of the room for the table of criteria, so that issues and turns are not crowded out. */
const SHARE_OF_CRITERIA = 0.6
const SHARE_OF_ISSUES = 0.7

const MAX_CRITERION_CHARACTERS = 300
const MAX_ISSUE_CHARACTERS = 300
const MAX_TURN_CHARACTERS = 240
const MAX_NAME_CHARACTERS = 128
const MAX_SUMMARY_CHARACTERS = 600

/** @param sessions most important first: sessions that do not fit are counted at the end */
export function renderMarkdown(
  project: string,
  sessions: readonly SessionFacts[],
  { unread = 0, maxCharacters = MAX_COMMENT_CHARACTERS }: { unread?: number; maxCharacters?: number } = {},
): string {
  const page = new Page(maxCharacters - RESERVED_CHARACTERS)
  const only = sessions.length === 1 && unread === 0 ? sessions[0] : undefined
  if (only === undefined) {
    page.add(`### Turngraph: sessions of ${showName(project)}`, '')
    renderSessionList(page, sessions)
  }
  let notShown = unread
  for (const facts of sessions) {
    if (only === undefined && page.room < MIN_SESSION_CHARACTERS) {
      notShown++
      continue
    }
    renderSession(page, facts, only === undefined)
  }
  page.leaveOut(notShown, 'session')
  return page.write()
}

const MIN_SESSION_CHARACTERS = 10_000

/** Lines within a limit, with the number of items that did not fit. */
class Page {
  readonly #lines: string[] = []
  readonly #leftOut = new Map<string, number>()
  room: number

  constructor(maxCharacters: number) {
    this.room = maxCharacters
  }

  /** Adds lines of a fixed length, for which the limit has room. */
  add(...lines: string[]): void {
    for (const line of lines) {
      this.#lines.push(line)
      this.room -= line.length + 1
    }
  }

  addFitting(lines: readonly string[], share: number, noun: string): void {
    const end = this.room - Math.floor(this.room * share)
    const fitting = lines.findIndex((line) => {
      const fits = this.room - line.length - 1 >= end
      if (fits) this.add(line)
      return !fits
    })
    if (fitting !== -1) this.leaveOut(lines.length - fitting, noun)
  }

  leaveOut(count: number, noun: string): void {
    if (count > 0) this.#leftOut.set(noun, (this.#leftOut.get(noun) ?? 0) + count)
  }

  write(): string {
    const left = [...this.#leftOut].map(([noun, count]) =>
      noun === 'criterion' ? plural(count, noun, 'criteria') : plural(count, noun),
    )
    const note = left.length === 0 ? [] : ['', `_Left out for length: ${left.join(', ')}._`]
    return `${[...this.#lines, ...note].join('\n')}\n`
  }
}

const showName = (name: string): string => toGitHubText(name, MAX_NAME_CHARACTERS)

function renderSessionList(page: Page, sessions: readonly SessionFacts[]): void {
  const hasTokens = sessions.some(({ tokens }) => tokens !== null)
  const heads = ['Session', 'Task', 'Turns', 'Last decision', 'Criteria', ...(hasTokens ? ['Tokens'] : [])]
  page.add(writeRow(heads), writeRow(heads.map(() => '---')))
  const rows = sessions.map(({ world, criteria, tokens }) =>
    writeRow([
      showName(world.worldSlug),
      showName(world.taskId),
      `${world.currentTurn}`,
      world.lastDecision ?? 'none',
      describeCounts(countCriteria(criteria.criteria)),
      ...(hasTokens ? [tokens === null ? '' : groupDigits(totalTokens(tokens))] : []),
    ]),
  )
  page.addFitting(rows, 0.3, 'row')
  page.add('')
}

function renderSession(page: Page, facts: SessionFacts, isFolded: boolean): void {
  const title = `Turngraph: session ${showName(facts.world.worldSlug)}`
  if (isFolded) page.add('<details>', `<summary>${title}</summary>`, '')
  else page.add(`### ${title}`, '')
  // The summary begins with words of Turngraph.
  if (facts.summary !== null) page.add(`> ${toGitHubText(facts.summary, MAX_SUMMARY_CHARACTERS)}`, '')
  page.add(writeSentence(facts), '')
  if (facts.tokens !== null) page.add(writeTokens(facts.tokens), '')
  renderCriteria(page, facts)
  renderIssues(page, facts)
  renderTurns(page, facts)
  if (isFolded) page.add('', '</details>', '')
}

/** Writes the first line: the result, and how it is known. */
function writeSentence({ world, criteria }: SessionFacts): string {
  const counts = countCriteria(criteria.criteria)
  const promised = promisedNote(criteria.promisedNotJudged)
  const decision =
    world.lastDecision === null ? 'No turn so far' : `Turn ${world.currentTurn}: **${world.lastDecision}**`
  const bases = describeBases(counts)
  return [
    `${decision}. ${describeCounts(counts, { noun: ' criteria' })}${bases.length === 0 ? '' : ` (${bases.join(', ')})`}`,
    ...(promised === null ? [] : [toGitHubText(promised, MAX_TURN_CHARACTERS)]),
  ]
    .map((sentence) => `${sentence}.`)
    .join(' ')
}

function writeTokens(tokens: NonNullable<SessionFacts['tokens']>): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = tokens
  const parts = [
    `${groupDigits(inputTokens)} input`,
    `${groupDigits(outputTokens)} output`,
    `${groupDigits(cacheReadTokens)} read from a cache`,
    `${groupDigits(cacheCreationTokens)} written to a cache`,
  ]
  return `${groupDigits(totalTokens(tokens))} tokens: ${parts.join(', ')}.`
}

const MARKS = { verified: '✓', rejected: '✗', pending: '○' } as const

function renderCriteria(page: Page, { criteria: { criteria } }: SessionFacts): void {
  if (criteria.length === 0) {
    page.add('No criterion counts yet.', '')
    return
  }
  page.add('| | Criterion | State | How it is known |', '| --- | --- | --- | --- |')
  const rows = criteria.map((criterion) => {
    const { criterionId, text, state, verifiedInTurn, basis } = criterion
    const since = state === 'verified' && verifiedInTurn !== null ? ` (turn ${verifiedInTurn})` : ''
    return writeRow([
      criterion.contested === null ? MARKS[state] : '!',
      [criterionId, text ?? '']
        .filter((part) => part !== '')
        .map((part) => toGitHubText(part, MAX_CRITERION_CHARACTERS))
        .join(' '),
      describeState(criterion).replace('verified', `verified${since}`),
      state === 'verified' ? (noteBasis(basis) ?? "in the judge's words") : '',
    ])
  })
  page.addFitting(rows, SHARE_OF_CRITERIA, 'criterion')
  page.add('')
}

const writeRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function renderIssues(page: Page, { issues }: SessionFacts): void {
  if (issues.length === 0) {
    page.add('No open issue.')
    return
  }
  page.add('**Open issues**', '')
  const lines = bySeverity(issues).map(({ severity, category, description, turns, times, wordings }) => {
    const about = category === null ? '' : ` ${showName(category)}:`
    const where = `${turns.length === 1 ? 'turn' : 'turns'} ${turns.join(', ')}`
    const notes = [
      where,
      ...(times > 1 ? [`×${times}`] : []),
      ...(wordings > 1 ? [`${wordings} wordings`] : []),
    ]
    return `- **${severity}**${about} ${toGitHubText(description, MAX_ISSUE_CHARACTERS)} (${notes.join(', ')})`
  })
  page.addFitting(lines, SHARE_OF_ISSUES, 'issue')
}

function renderTurns(page: Page, { turns, olderTurns }: SessionFacts): void {
  if (turns.length === 0) return
  page.add('', '<details>', `<summary>${plural(turns.length + olderTurns, 'turn')}</summary>`, '')
  const lines = turns
    .toReversed()
    .map(({ turn_number, coach_decision, player_summary, coach_feedback, gates }) => {
      const failed = Object.entries(gates).flatMap(([name, status]) =>
        status === 'failed' ? [showName(name)] : [],
      )
      return [
        `- **Turn ${turn_number}**, ${coach_decision}: ${toGitHubText(player_summary, MAX_TURN_CHARACTERS)}`,
        ...(failed.length === 0 ? [] : [`Failed gates: ${failed.join(', ')}`]),
        ...(coach_feedback == null ? [] : [`Feedback: ${toGitHubText(coach_feedback, MAX_TURN_CHARACTERS)}`]),
      ].join(' · ')
    })
  page.addFitting(lines, 0.9, 'turn')
  page.leaveOut(olderTurns, 'turn')
  page.add('', '</details>')
}
