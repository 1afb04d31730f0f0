/**
 * Renders a continuation context as items: the lines of seed 000, in its order and form, byte for byte if a record has no more
 * fields than the seed's, followed by further sections (contract: turns.md, "The text").
 */
import { LIMITS } from '../../core/fields.ts'
import { listUnseen, noteBasis } from '../../rules/basis.ts'
import { describeRepeats, groupByCause } from '../../rules/causes.ts'
import { toBlock, toOneLine } from '../../rules/foreign-text.ts'
import {
  contestedNote,
  countCriteria,
  declarationNotes,
  describeCounts,
  NEVER_JUDGED,
  promisedNames,
} from '../../rules/notes.ts'
import { bySeverity } from '../../rules/severity.ts'
import { promisedNotListed } from '../../rules/specified-states.ts'
import { type TriedTurn, writeTriedTurn } from '../../rules/tried-before.ts'
import type { CoachDecision } from '../../rules/values.ts'
import { describeWithdrawn, nameTurns, type WithdrawnRange } from '../../rules/withdrawn.ts'
import { joinedWords } from '../../rules/words.ts'
import type { PromisedCriterion, Role, ShownCriterion } from '../criteria/views.ts'
import type { EarlierSession, Elsewhere, KnownElsewhere, LastJudged, PriorTurn } from './continuation.ts'
import { cutStart, MARK } from './cut-start.ts'
import type { SectionName } from './section-names.ts'

/** Fields of the prior turn in the text. */
export type Summary = Pick<
  PriorTurn,
  | 'turnNumber'
  | 'playerSummary'
  | 'playerDecision'
  | 'coachDecision'
  | 'coachFeedback'
  | 'blockersFound'
  | 'lessonsFromTurn'
  | 'whatToTryNext'
> &
  Partial<Pick<PriorTurn, 'gates'>>

/** Removes the judgement from a turn, for a reset perspective. */
export const hideVerdict = <S extends Summary>(prior: S): S => ({
  ...prior,
  coachFeedback: null,
  // Removed because an import often takes it from the suggestions of the Coach.
  whatToTryNext: null,
})

export type Rendering = {
  /** Number of the next turn. */
  currentTurn: number
  /** Prior turn; null before the first turn, which knows only the specification. */
  prior: Summary | null
  criteria: readonly ShownCriterion[]
  /** Newest judged turn, if the prior turn is not judged. Its issues have its number. */
  lastJudged: Pick<LastJudged, 'turn' | 'coachFeedback' | 'whatToTryNext'> | null
  /** Promised criteria that no judge named while others were judged. */
  promisedNotJudged: readonly Pick<PromisedCriterion, 'criterionId' | 'text'>[]
  /** Issues, most severe first. */
  issues: readonly (PriorTurn['issues'][number] & { turn?: number | undefined })[]
  /** Attempts of the turns before the prior one, newest first. */
  triedBefore: readonly TriedTurn[]
  role: Role
  olderTurnsRecorded: boolean
  verifiedInPrior: ReadonlySet<string>
  /** Promises recovered from an earlier turn (coach only); null otherwise. */
  recovered: {
    fromTurn: number
    items: readonly { criterionId: string; key?: string; status: string; evidence: string | null }[]
  } | null
  /** Warning if the session stalls; otherwise null. */
  stallWarning: string | null
  /** Turns after the newest one that rollbacks withdrew. */
  withdrawn?: readonly WithdrawnRange[] | undefined
  /** Facts from other sessions; undefined without any. */
  elsewhere?: Elsewhere | undefined
}

/** Rendering before the first turn of a world. */
export const EMPTY_HISTORY = {
  prior: null,
  lastJudged: null,
  promisedNotJudged: [],
  issues: [],
  triedBefore: [],
  olderTurnsRecorded: false,
  verifiedInPrior: new Set<string>(),
  recovered: null,
  stallWarning: null,
} as const satisfies Partial<Rendering>

/** Kinds of items in the order in which they are left out of a text that is too long. */
export const LEAVING = [
  'elsewhere',
  'evidence',
  'tried_before',
  'advisory',
  'should_fix',
  'lessons',
  'blockers',
  'criterion_texts',
  'promises',
] as const

/** Kinds of parts. A `text` is cut only after all items of the kinds above were left out; `required` parts stay. */
export type Kind = (typeof LEAVING)[number] | 'text' | 'required'

/** Item of the text. It stays or is left out as a whole, unless it is a `text`. */
export type Part = {
  kind: Kind
  text: string
  /** Name under which the item is counted as included or omitted. */
  section?: string
  /** Replacement if not even the beginning of a `text` fits. */
  least?: string
}

/** Line of the text. `head` and `between` are written only with parts. */
export type Line = { head: string; parts: readonly Part[]; between: string }

/** Section of the text. The heading is written only with lines. */
export type Section = { name: SectionName; heading: string | null; lines: readonly Line[] }

export type Shown = (part: Part) => string | null

export function write(sections: readonly Section[], shown: Shown): string {
  const texts = sections.map(({ heading, lines }) => {
    const text = join(
      lines.map((line) => writeLine(line, shown)),
      '\n',
    )
    return text === null || heading === null ? text : `${heading}\n${text}`
  })
  return join(texts, '\n\n') ?? ''
}

function writeLine({ head, parts, between }: Line, shown: Shown): string | null {
  const text = join(parts.map(shown), between)
  return text === null ? null : head + text
}

function join(texts: readonly (string | null)[], between: string): string | null {
  const present = texts.filter((text) => text !== null)
  return present.length === 0 ? null : present.join(between)
}

export function toSections(rendering: Rendering): Section[] {
  return [
    { name: 'turn', heading: null, lines: summaryLines(rendering) },
    {
      name: 'criteria',
      heading: '**Acceptance Criteria Status**:',
      lines: rendering.criteria.flatMap((criterion) => criterionLines(criterion, rendering)),
    },
    {
      name: 'issues',
      heading: '**Open issues** (most severe first):',
      lines: issueLines(rendering, (issue) => issue.turn === undefined),
    },
    {
      name: 'issues',
      heading: `**Open issues** (${fromLastJudged(rendering)}; most severe first):`,
      lines: issueLines(rendering, (issue) => issue.turn !== undefined),
    },
    triedSection(rendering.triedBefore),
    promiseSection(rendering),
    { name: 'progress', heading: null, lines: progressLines(rendering) },
    {
      name: 'stall',
      heading: null,
      lines: labelled('Stall warning', textParts(toOneLine(rendering.stallWarning ?? ''), 'stall')),
    },
    { name: 'criteria', heading: '**Check again**:', lines: staleLines(rendering) },
    { name: 'criteria', heading: null, lines: unseenLines(rendering) },
    { name: 'criteria', heading: null, lines: notJudgedLines(rendering) },
    earlierSessionSection(rendering.elsewhere?.earlierSession ?? null),
    knownSection(rendering.elsewhere?.known ?? []),
  ]
}

function summaryLines(rendering: Rendering): Line[] {
  const { prior, lastJudged, currentTurn, role, withdrawn = [] } = rendering
  if (prior === null) return withdrawnLines(withdrawn)
  const before = ` (${fromLastJudged({ prior, lastJudged })})`
  return [
    plain({
      kind: 'required',
      text: `## Previous Turn Summary (Turn ${prior.turnNumber})`,
      section: 'turn',
    }),
    ...withdrawnLines(withdrawn),
    ...gapLines(Math.max(prior.turnNumber, ...withdrawn.map(({ toTurn }) => toTurn)), currentTurn),
    ...labelled('What was attempted', textParts(prior.playerSummary)),
    ...(role === 'coach' && UNFINISHED.has(prior.playerDecision)
      ? [plain({ kind: 'required', text: `**Player decision**: ${prior.playerDecision}` })]
      : []),
    plain({ kind: 'required', text: `**Coach decision**: ${prior.coachDecision}` }),
    ...labelled('Feedback', textParts(prior.coachFeedback)),
    ...labelled('Feedback', textParts(lastJudged?.coachFeedback ?? null), '', before),
    ...labelled('Blockers found', blockerParts(prior.blockersFound), ', '),
    ...labelled('Lessons learned', lessonParts(prior.lessonsFromTurn), '; '),
    ...labelled('Suggested focus for this turn', focusParts(prior.whatToTryNext, rendering)),
    ...labelled(
      'Suggested focus for this turn',
      focusParts(lastJudged?.whatToTryNext ?? null, rendering),
      '',
      before,
    ),
    ...(role === 'coach' ? labelled('Failed gates', gateParts(prior.gates ?? {})) : []),
  ]
}

/** Decisions of a Player whose turn did not end with a result. */
const UNFINISHED = new Set<Summary['playerDecision']>(['blocked', 'failed'])

const withdrawnLines = (ranges: readonly WithdrawnRange[]): Line[] =>
  ranges.map((range) => plain({ kind: 'required', text: describeWithdrawn(range) }))

function gapLines(newest: number, current: number): Line[] {
  const [first, last] = [newest + 1, current - 1]
  if (first > last) return []
  return [plain({ kind: 'required', text: `(${nameTurns(first, last)} not recorded)` })]
}

const gateParts = (gates: NonNullable<Summary['gates']>): Part[] =>
  textParts(
    Object.entries(gates)
      .filter(([, status]) => status === 'failed')
      .map(([name]) => toOneLine(name))
      .join(', '),
    'gates',
  )

/** Always keeps the suggestion of the first blocking issue, here or below the issue. */
function focusParts(focus: string | null, rendering: Rendering): Part[] {
  const suggestion = firstBlocking(rendering)?.suggestion ?? ''
  if (focus === null || suggestion === '' || !focus.startsWith(suggestion)) return textParts(focus)
  return startStays(toBlock(focus), Math.min(suggestion.length, LIMITS.nameCharacters))
}

const firstBlocking = ({ issues }: Rendering): Rendering['issues'][number] | undefined =>
  [...issues.filter(({ turn }) => turn === undefined), ...issues].find(
    ({ severity }) => severity === 'blocking',
  )

const fromLastJudged = ({ prior, lastJudged }: Pick<Rendering, 'prior' | 'lastJudged'>): string =>
  `from turn ${lastJudged?.turn}; turn ${prior?.turnNumber} ${JUDGES_NOTHING[prior?.coachDecision ?? 'error'] ?? ''}`

/** Ends of unjudged turns. */
const JUDGES_NOTHING: Partial<Record<CoachDecision, string>> = {
  error: 'ended in an error',
  deferred: 'was deferred',
  unknown: 'has no decision that is known',
}

const BLOCKERS_KEPT = 5

function blockerParts(blockers: readonly string[]): Part[] {
  return blockers.map((text, i) => ({
    kind: i < BLOCKERS_KEPT ? 'text' : 'blockers',
    text: toBlock(text),
    section: 'blockers',
  }))
}

const lessonParts = (lessons: readonly string[]): Part[] =>
  lessons.map((text) => ({ kind: 'lessons', text: toBlock(text), section: 'lessons' }))

const ICONS = { verified: '✓', rejected: '✗', pending: '○' } as const
/** Icon of a criterion that was rejected after a verification. ✓ marks only uncontested criteria. */
const CONTESTED = '⚠'

function criterionLines(criterion: ShownCriterion, { role, verifiedInPrior }: Rendering): Line[] {
  const { state, criterionId, text, declared } = criterion
  // With a specification, a Player reads only the criteria that count.
  if (role === 'player' && declared === false) return []
  const isContested = state === 'verified' && criterion.contested !== null
  const icon = `  ${declared === false ? '-' : isContested ? CONTESTED : ICONS[state]} `
  const name =
    criterionId === ''
      ? startStays(toOneLine(text ?? ''))
      : [{ kind: 'required', text: toOneLine(criterionId) } as const]
  // Names criteria that are left or contested, but not proven ones.
  const isProven = state === 'verified' && !isContested
  const isNamed = text === null || criterionId === '' || joinedWords(text) === joinedWords(criterionId)
  const what = isProven || isNamed ? null : ` — ${toOneLine(text)}`
  const evidence = role === 'coach' ? lastEvidence(criterion) : null
  return [
    plain(
      { kind: 'required', text: icon, section: 'criteria' },
      ...name,
      ...statusParts(criterion, role, verifiedInPrior),
      ...declarationNotes(criterion).map((note): Part => ({ kind: 'required', text: ` — ${note}` })),
      ...optional('criterion_texts', what),
    ),
    ...optional('evidence', evidence === null ? null : `      ${evidence}`).map((part) => plain(part)),
  ]
}

/** Keeps the start of a text, at most as long as a label may be; the rest may be cut. */
function startStays(text: string, characters: number = LIMITS.nameCharacters, section?: string): Part[] {
  const counted = section === undefined ? {} : { section }
  if (text.length <= characters) return [{ kind: 'required', text, ...counted }]
  const start = cutStart(text, characters, ['word', 'grapheme'])
  return [
    { kind: 'required', text: start, ...counted },
    { kind: 'text', text: text.slice(start.length), least: MARK },
  ]
}

/** Writes the state, with its turn unless that is the prior turn (as in the seed). The Coach also sees how it is known. */
function statusParts(
  { key, state, verifiedInTurn, contested, stale, basis }: ShownCriterion,
  role: Role,
  verifiedInPrior: ReadonlySet<string>,
): Part[] {
  const note = role === 'coach' ? noteBasis(basis) : null
  const known = note === null ? '' : `, ${note}`
  if (stale !== undefined && contested === null) {
    const what =
      stale.files.length === 0
        ? 'worded anew since'
        : `touched in turn ${stale.turn}: ${listFiles(stale.files)}`
    return [{ kind: 'required', text: `: ${state} (turn ${verifiedInTurn}${known}, ${what})` }]
  }
  if (state !== 'verified' || (verifiedInPrior.has(key) && contested === null && note === null)) {
    return [{ kind: 'required', text: `: ${state}` }]
  }
  const since = `: ${state} (turn ${verifiedInTurn}${known}`
  if (contested === null) return [{ kind: 'required', text: `${since})` }]
  const reason = role === 'coach' ? evidenceLine(contested.reason) : null
  return [
    { kind: 'required', text: `${since}, contested in turn ${contested.turn}` },
    ...optional('evidence', reason === null ? null : `: ${reason}`),
    { kind: 'required', text: ')' },
  ]
}

const FILES_SHOWN = 5

/** Lists the first files and the number of the others: a status stays in every text, and a proof may have a thousand files. */
function listFiles(files: readonly string[]): string {
  const more = files.length - FILES_SHOWN
  return files.slice(0, FILES_SHOWN).map(toOneLine).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Returns the proof of a verified criterion or the reason of a rejection. The status itself shows the reason of a contest. */
function lastEvidence({ history, state }: ShownCriterion): string | null {
  const found = history?.findLast(
    ({ status, source, evidence }) =>
      status === state && evidenceLine(evidence) !== null && source !== 'player',
  )
  return evidenceLine(found?.evidence)
}

const evidenceLine = (text: string | null | undefined): string | null => toOneLine(text ?? '') || null

/** Renders the issues of one cause as one line with their number and differences, so that they use the budget once. */
function issueLines(
  rendering: Rendering,
  isOfSection: (issue: Rendering['issues'][number]) => boolean,
): Line[] {
  const { issues, prior, lastJudged } = rendering
  const focuses = [prior?.whatToTryNext, lastJudged?.whatToTryNext].map((focus) => focus ?? '')
  const first = firstBlocking(rendering)
  return groupByCause(issues.filter(isOfSection)).flatMap((group) => {
    // The suggestion of the first blocking issue is never left out, so that issue represents its cause.
    const [worst = group[0]] = bySeverity(group)
    const issue = first !== undefined && group.includes(first) ? first : worst
    const { suggestion } = issue
    const isFirst = issue === first
    // An import takes the focus of the next turn from the suggestions, which are written only once.
    const isFocus =
      suggestion !== null &&
      focuses.some((focus) => (isFirst ? focus.startsWith(suggestion) : focus.includes(suggestion)))
    return issueLine({ ...issue, suggestion: isFocus ? null : suggestion }, describeRepeats(group), isFirst)
  })
}

type IssueShown = Pick<PriorTurn['issues'][number], 'severity' | 'description' | 'suggestion'>

/** Renders an issue. Required are the first line of each blocking issue and the suggestion of the first one. */
function issueLine(
  { severity, description, suggestion }: IssueShown,
  repeats: string,
  suggestionStays: boolean,
): Line[] {
  const section = 'issues'
  const text = `  - [${severity}] ${toBlock(description)}`
  const [firstLine = ''] = text.split('\n', 1)
  const first = repeats === '' ? firstLine : `${firstLine} ${toOneLine(repeats)}`
  const rest = text.slice(firstLine.length)
  const said = toOneLine(suggestion ?? '')
  const suggested = `      Suggestion: ${said}`
  const kind = severity === 'blocking' ? 'text' : severity
  const suggestedParts: Part[] = suggestionStays
    ? startStays(suggested, LIMITS.nameCharacters, 'suggestions')
    : [{ kind, text: suggested, section: 'suggestions' }]
  return [
    severity === 'blocking'
      ? plain({ kind: 'required', text: first, section }, ...toIndentedParts(rest))
      : plain({ kind, text: first + rest, section }),
    ...(said === '' ? [] : [plain(...suggestedParts)]),
  ]
}

const triedSection = (turns: readonly TriedTurn[]): Section => ({
  name: 'tried_before',
  heading: '**Tried before**:',
  lines: turns.map((turn) =>
    plain({ kind: 'tried_before', text: writeTriedTurn(turn), section: 'tried_before' }),
  ),
})

function promiseSection({ role, recovered, criteria }: Rendering): Section {
  if (role !== 'coach' || recovered === null) return { name: 'promises', heading: null, lines: [] }
  const { fromTurn } = recovered
  const verified = new Set(criteria.filter(({ state }) => state === 'verified').map(({ key }) => key))
  const items = recovered.items.filter(({ key }) => key === undefined || !verified.has(key))
  return {
    name: 'promises',
    heading: `**Promises recovered from turn ${fromTurn}**: ${recovered.items.length}`,
    lines: items.map(({ criterionId, status, ...promise }) => {
      const evidence = evidenceLine(promise.evidence)
      return plain(
        { kind: 'promises', text: `  - ${toOneLine(criterionId)}: ${status}`, section: 'promises' },
        ...optional('evidence', evidence === null ? null : ` — ${evidence}`),
      )
    }),
  }
}

/** Renders the proofs that the Coach should check again, because their files have changed. */
const staleLines = ({ criteria, role }: Rendering): Line[] =>
  role !== 'coach'
    ? []
    : criteria.flatMap(({ criterionId, stale, text, declared }) =>
        stale === undefined || declared === false
          ? []
          : [
              plain(
                { kind: 'required', text: `  - ${toOneLine(criterionId)}`, section: 'check_again' },
                ...optional('criterion_texts', text === null ? null : `: ${toOneLine(text)}`),
              ),
            ],
      )

/** The criteria that are verified by no more than the Player's word, for the Coach. */
function unseenLines({ criteria, role }: Rendering): Line[] {
  const names = listUnseen(criteria).map(({ criterionId }) => toOneLine(criterionId))
  if (role !== 'coach' || names.length === 0) return []
  const text = `**Seen by nobody yet**: ${names.join(', ')}`
  return [plain({ kind: 'required', text, section: 'seen_by_nobody' })]
}

/** Renders the declared criteria that no judge has named, for the Coach after the first judged turn. */
function notJudgedLines({ criteria, role }: Rendering): Line[] {
  const left = criteria.filter(({ judged, kind }) => judged === false && kind !== 'manual')
  if (role !== 'coach' || left.length === 0 || !criteria.some(({ lastTurn }) => lastTurn !== null)) return []
  const names = left.map(({ criterionId }) => toOneLine(criterionId)).join(', ')
  return [plain({ kind: 'required', text: `**Not judged so far**: ${names}`, section: 'not_judged' })]
}

function earlierSessionSection(session: EarlierSession | null): Section {
  const name = 'earlier_session'
  if (session === null) return { name, heading: null, lines: [] }
  const { worldSlug, turns, lastDecision, total, criteriaLeft, openIssues, verdict } = session
  const says = [
    `  ${turns} ${turns === 1 ? 'turn' : 'turns'}, last decision: ${lastDecision}${['insufficient_data', 'finished'].includes(verdict) ? '' : `, ${verdict}`}`,
    ...(total === 0 ? [] : [`  ${describeCounts(session, { noun: ' criteria', verb: 'verified there' })}`]),
    ...criteriaLeft.map(({ criterionId, text }) => `  ○ ${nameAndText(criterionId, text)}`),
    ...openIssues.map(({ description, turn }) => `  - [blocking] ${toOneLine(description)} (turn ${turn})`),
  ]
  return {
    name,
    heading: `**Earlier session of this task** (${toOneLine(worldSlug)}):`,
    lines: says.map((text) => plain({ kind: 'elsewhere', text, section: name })),
  }
}

const knownSection = (items: readonly KnownElsewhere[]): Section => ({
  name: 'known',
  heading: '**Known from other sessions**:',
  lines: items.map((item) => plain({ kind: 'elsewhere', text: knownText(item), section: 'known' })),
})

function knownText({ taskId, turn, issues, summary, lessons, blockers }: KnownElsewhere): string {
  const says = [
    ...(issues.length === 0
      ? []
      : [`${issues.map((issue) => `"${toOneLine(issue)}"`).join(', ')} went: ${toOneLine(summary ?? '')}`]),
    ...(lessons.length === 0 ? [] : [`lessons: ${lessons.map(toOneLine).join('; ')}`]),
    ...(blockers.length === 0 ? [] : [`blockers: ${blockers.map(toOneLine).join(', ')}`]),
  ]
  return `  - ${toOneLine(taskId)} turn ${turn} — ${says.join(' — ')}`
}

const nameAndText = (criterionId: string, text: string | null): string =>
  [criterionId, text ?? '']
    .map(toOneLine)
    .filter((part) => part !== '')
    .join(' — ')

function progressLines({ criteria, promisedNotJudged, prior, olderTurnsRecorded }: Rendering): Line[] {
  // The list of criteria shows promised ones that count.
  const promised = promisedNotListed(criteria, promisedNotJudged)
  if (prior === null || (!olderTurnsRecorded && promised.length === 0)) return []
  const forPeople = criteria.filter(
    ({ kind, state, declared }) => declared !== false && kind === 'manual' && state !== 'verified',
  ).length
  const { contested, contestedInTurns, ...counts } = countCriteria(criteria)
  const verified = describeCounts({ ...counts, contested: 0 }, { noun: ' criteria' })
  const text = `**Progress**: ${verified} after turn ${prior.turnNumber}${contestedNote(contested, contestedInTurns)}${forPeople === 0 ? '' : `, ${forPeople} for a person`}`
  if (promised.length === 0) return [plain({ kind: 'required', text, section: 'progress' })]
  return [
    plain(
      { kind: 'required', text: `${text}; ${promised.length} ${NEVER_JUDGED}`, section: 'progress' },
      ...optional('criterion_texts', `: ${promisedNames(promised)}`),
    ),
  ]
}

const plain = (...parts: Part[]): Line => ({ head: '', parts, between: '' })

function labelled(name: string, parts: readonly Part[], between = '', from = ''): Line[] {
  const content = parts.map(({ text }) => text).join(between)
  return content === '' ? [] : [{ head: `**${name}**${from}: `, parts, between }]
}

const textParts = (text: string | null, section?: string): Part[] =>
  toIndentedParts(toBlock(text ?? ''), section)

const toIndentedParts = (text: string, section?: string): Part[] =>
  text === '' ? [] : [{ kind: 'text', text, ...(section === undefined ? {} : { section }) }]

const optional = (section: 'evidence' | 'criterion_texts', text: string | null): Part[] =>
  text === null ? [] : [{ kind: section, text, section }]
