// Renders the brief of a turn as prompt text, for the Player who plays it and for the Coach who judges it.

import type { OperationOutput } from '../operations/table.ts'
import { noteBasis } from '../rules/basis.ts'
import { isCounted, isRequired } from '../rules/criterion-states.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { describeState } from '../rules/notes.ts'

type Context = OperationOutput<'loadTurnContinuationContext'>
type Criterion = Context['criteria'][number]

/** Renders the brief of the Player: the context, and the criteria that are left to prove. */
export function playerBrief(context: Context, turn: number): string {
  const left = context.criteria.filter((criterion) => isRequired(criterion) && !isProven(criterion))
  const allProven = context.criteria.some(isCounted)
    ? 'Every criterion that counts is verified, or is for a person.'
    : NONE_KNOWN
  return sections([
    `You are the Player. ${renderTurn(context, turn)} begins now: implement what is left of the task, and say for each criterion whether you met it. A Coach judges it afterwards.`,
    renderPast(context),
    list('## Left to prove', left.map(renderCriterion), allProven),
    'Promise only what you have done and checked: a promise names its criterion, and the files that show it.',
  ])
}

/** Renders the brief of the Coach: the criteria, the promises of the Player, and the proofs that need a second look. */
export function coachBrief(context: Context, turn: number): string {
  const counted = context.criteria.filter(isCounted)
  const verified = new Set(counted.filter(isProven).map(({ key }) => key))
  const promises = context.promises?.items ?? []
  const open = promises.filter(({ key }) => !verified.has(key))
  const again = counted.filter(needsSecondLook)
  return sections([
    `You are the Coach. Judge ${renderTurn(context, turn).replace(/^Turn/, 'turn')}: verify each criterion yourself, with evidence. What you cannot check is unknown, not rejected.`,
    renderPast(context),
    list('## Criteria', counted.map(renderCriterion), NONE_KNOWN),
    list(
      promisesHeading(context),
      open.map(({ criterionId, criterionText, status, evidence }) =>
        [`- ${criterionId}: ${status}`, criterionText, evidence]
          .flatMap((part) => (part == null ? [] : [toOneLine(part)]))
          .join(' — '),
      ),
      promises.length === 0 ? 'No promise is recorded.' : 'All promises of the Player are verified.',
    ),
    list('## Check again', again.map(secondLook), 'Nothing that was verified is contested or stale.'),
  ])
}

const NONE_KNOWN = 'No criterion is known: none was declared or judged so far.'

const renderPast = ({ context, taskMessage = '' }: Context): string =>
  context ?? toOneLine(`No turn has been recorded in this session yet. ${taskMessage}`)

const renderTurn = ({ worldSlug }: Context, turn: number): string =>
  worldSlug === null
    ? `Turn ${turn} of a new session`
    : `Turn ${turn} of the session "${toOneLine(worldSlug)}"`

const promisesHeading = ({ promises }: Context): string =>
  promises?.source === 'recovered'
    ? `## Promises (recovered from turn ${promises.recoveredFromTurn})`
    : '## Promises'

/** True if the criterion is verified, and neither contested nor stale. */
const isProven = (criterion: Criterion): boolean =>
  criterion.state === 'verified' && !needsSecondLook(criterion)

const needsSecondLook = ({ state, contested, stale }: Criterion): boolean =>
  state === 'verified' && (contested !== null || stale !== undefined)

function renderCriterion(criterion: Criterion): string {
  const { state, basis, verifiedInTurn, lastTurn } = criterion
  const since = state === 'verified' ? verifiedInTurn : lastTurn
  const notes = [since === null ? null : `turn ${since}`, noteBasis(basis)].filter((note) => note !== null)
  return `- ${nameCriterion(criterion)} (${describeState(criterion, notes.join(', ') || null)})`
}

function secondLook(criterion: Criterion): string {
  const { contested, stale } = criterion
  const reasons = [
    ...(contested === null ? [] : [`contested in turn ${contested.turn}`, contested.reason]),
    ...(stale === undefined ? [] : [`stale since turn ${stale.turn}`, stale.files.join(', ')]),
  ].flatMap((reason) => (reason == null || reason === '' ? [] : [toOneLine(reason)]))
  return `- ${nameCriterion(criterion)}: ${reasons.join(', ')}`
}

const nameCriterion = ({ criterionId, text }: Pick<Criterion, 'criterionId' | 'text'>): string =>
  [criterionId, text ?? '']
    .map(toOneLine)
    .filter((part) => part !== '')
    .join(' — ')

const list = (heading: string, lines: readonly string[], none: string): string =>
  [heading, ...(lines.length === 0 ? [none] : lines)].join('\n')

const sections = (texts: readonly string[]): string => texts.join('\n\n')
