/** Summarizes a session in at most two sentences that consist of facts (contract: page.md, "Session"). Pure. */
import { plural } from '../core/plural.ts'
import { type AttentionFacts, describeUnseen, findLastGain, nameCriterion } from './attention.ts'
import { isRequired } from './criterion-states.ts'
import { cutLine } from './cut-line.ts'
import { toOneLine } from './foreign-text.ts'
import type { IssueLife } from './issue-lives.ts'
import { countCriteria } from './notes.ts'
import { inOrder, type LedgerEntry, type RecentEntry } from './progress.ts'
import { findReversals } from './reversals.ts'
import {
  capitalize,
  describeGaps,
  findGaps,
  hasGaps,
  isRecent,
  isRefuted,
  joinWords,
  quoteName,
  showName,
} from './session-outcome.ts'
import type { Complaint } from './signature.ts'
import type { CoachDecision } from './values.ts'

export type JudgedTurn = {
  turn: number
  decision: CoachDecision
  failedGates: readonly string[]
  texts: readonly string[]
}

export type SummaryFacts = AttentionFacts & {
  outcome: string
  /** All turns of the session, ascending. */
  turns: readonly JudgedTurn[]
  issues: readonly IssueLife<Complaint & { severity: string }>[]
  findEntries: (criterionKey: string) => readonly RecentEntry[]
  ledger: readonly LedgerEntry[]
}

/** Returns one or two sentences: how the session ended and why, and what it gained or lost. */
export function summarizeSession(facts: SummaryFacts, now: Date): string[] {
  if (facts.turns.length === 0) return ['No turn has been recorded yet.']
  const second = facts.lastDecision === 'approved' ? describeApproval(facts) : describeState(facts)
  return [describeEnd(facts, now), ...(second === '' ? [] : [second])]
}

function describeEnd(facts: SummaryFacts, now: Date): string {
  const { outcome, turns, lastDecision, hasNewer, supersededBy } = facts
  const after = `after ${countTurns(turns)}`
  const newer = supersededBy === null ? '' : `, superseded by ${showName(supersededBy)}`
  if (lastDecision === 'approved') {
    const gaps = findGaps(facts)
    const { verified, total } = countCriteria(facts.criteria.filter(isRequired))
    if (hasGaps(gaps)) return `Approved ${after}${newer}, but ${describeGaps(gaps)}.`
    return total === 0
      ? `Approved ${after}${newer}; no criterion is known.`
      : `Approved ${after}${newer}: ${verified} of ${plural(total, 'criterion', 'criteria')} ${total === 1 ? 'is' : 'are'} verified.`
  }
  const unapproved = isRecent(facts, now) && !hasNewer ? 'Not approved' : 'Ended without approval'
  const end = outcome.startsWith('stopped by ') ? capitalize(outcome) : unapproved
  const lead = outcome === 'running' ? 'Running, not approved' : end
  return `${lead} ${after}${newer}: ${describeCause(facts)}.`
}

/** Counts the recorded turns. Names the newest turn if numbers are missing, because a later run overwrote or rolled back turns. */
function countTurns(turns: readonly JudgedTurn[]): string {
  const newest = turns.at(-1)?.turn ?? 0
  if (newest === turns.length) return plural(turns.length, 'turn')
  return `${plural(turns.length, 'recorded turn')} (the newest is turn ${newest})`
}

/** Words by which a judge says that the tests of its own gave no result. */
const NO_SIGNAL = /\bsignal_absent\b\W{0,6}true\b|\bindependent test verification did not complete\b/i

/** Names the cause that the most turns share, if the newest turn has it, otherwise the newest complaint. */
function describeCause(facts: SummaryFacts): string {
  const { turns, issues } = facts
  const approval = turns.findLastIndex(({ decision }) => decision === 'approved')
  const open = turns.slice(approval + 1)
  const newest = open.at(-1)
  if (newest === undefined) return 'no turn was judged since the approval'
  const inTurns = (has: (turn: JudgedTurn) => boolean): string | null => {
    const having = open.filter(has).length
    return has(newest) && 2 * having >= open.length ? describeTurns(having, open.length) : null
  }
  for (const gate of newest.failedGates) {
    const where = inTurns(({ failedGates }) => failedGates.includes(gate))
    if (where !== null)
      return `the gate ${quoteName(gate)} failed ${where}${describeRejected(facts, newest.turn)}`
  }
  const withoutSignal = inTurns(({ texts }) => texts.some((text) => NO_SIGNAL.test(text)))
  if (withoutSignal !== null) return `the independent test run gave no signal ${withoutSignal}`
  const blocking = issues
    .filter(({ goneInTurn, wordings: [wording] }) => goneInTurn === null && wording.severity === 'blocking')
    .map((life) => ({
      raised: listBlockedTurns(life),
      opened: life.turns[0],
      newest: life.turns.at(-1) ?? life.turns[0],
      quote: quote(life.wordings[0].description),
    }))
    .sort((a, b) => b.raised.length - a.raised.length || b.newest - a.newest || b.opened - a.opened)
  const [first] = blocking
  if (first !== undefined) {
    const raised = open.filter(({ turn }) => first.raised.includes(turn)).length
    const once = first.newest === newest.turn ? 'last asked for' : `asked in turn ${first.newest} for`
    const verb = raised < 2 ? once : `asked ${describeTurns(raised, open.length)} for the same:`
    return `the Coach ${verb} ${first.quote}${describeRejected(facts, newest.turn)}`
  }
  if (newest.decision === 'error') return 'the newest turn ended with an error'
  const said = newest.texts.find((text) => text.trim() !== '') ?? findRejection(facts, newest.turn)
  const wrote = said === undefined ? 'the Coach gave no reason' : `the Coach last wrote ${quote(said)}`
  return wrote + describeRejected(facts, newest.turn)
}

const findRejection = ({ ledger }: SummaryFacts, turn: number): string | undefined =>
  ledger
    .filter((entry) => entry.turn === turn && entry.status === 'rejected' && entry.source === 'coach')
    .toSorted(inOrder)
    .find(({ substantiated }) => substantiated)?.evidence ?? undefined

const MAX_REJECTED = 6

/** Names the criteria that the judge of a turn rejected: its complaint often does not. Empty without one. */
function describeRejected({ criteria, findEntries }: SummaryFacts, turn: number): string {
  const rejected = criteria.filter(
    (each) =>
      isRequired(each) &&
      findEntries(each.key).findLast((one) => one.judges && one.turn === turn)?.status === 'rejected',
  )
  if (rejected.length === 0) return ''
  const names = rejected.slice(0, MAX_REJECTED).map(nameCriterion)
  const more = rejected.length - names.length
  return `; turn ${turn} rejected ${joinWords(more === 0 ? names : [...names, `${more} more`])}`
}

function listBlockedTurns({ turns, otherWordings }: SummaryFacts['issues'][number]): number[] {
  const mild = new Set(
    otherWordings.filter(({ issue }) => issue.severity !== 'blocking').map(({ turn }) => turn),
  )
  return turns.filter((turn) => turn === turns.at(-1) || !mild.has(turn))
}

function describeTurns(having: number, all: number): string {
  if (all === 1) return 'in this turn'
  return having === all ? 'in every turn' : `in ${having} of ${all} turns`
}

const MAX_QUOTE = 140

const quote = (text: string): string => `"${cutLine(toOneLine(text).replace(/\.$/, ''), MAX_QUOTE)}"`

function describeApproval(facts: SummaryFacts): string {
  const unseen = describeUnseen(facts.criteria)
  const refuted = facts.criteria.filter(isRefuted).length
  const parts = [
    ...(unseen === null ? [] : [unseen]),
    ...describeReversals(facts),
    ...(refuted === 0
      ? []
      : [
          `${plural(refuted, 'criterion', 'criteria')} ${refuted === 1 ? 'was' : 'were'} not verified again after a rejection with evidence`,
        ]),
  ]
  return toSentence(parts)
}

function describeState(facts: SummaryFacts): string {
  const required = facts.criteria.filter(isRequired)
  const reversals = describeReversals(facts)
  const rejected = required.some(
    ({ key, state }) =>
      state === 'rejected' || (facts.progress.get(key)?.evidencedRejectionTurn ?? null) !== null,
  )
  const disproved = countDisproved(facts)
  const gain = findLastGain(facts)
  const { verified, total } = countCriteria(required)
  const parts = [
    ...reversals,
    ...(reversals.length > 0 || total === 0
      ? []
      : [
          gain === null
            ? total === 1
              ? 'the only criterion is not verified'
              : `none of ${total} criteria is verified`
            : `${verified} of ${plural(total, 'criterion', 'criteria')} ${verified === 1 ? 'is' : 'are'} verified, the last one since turn ${gain}`,
        ]),
    ...(rejected || reversals.length > 0
      ? [
          disproved === 0
            ? 'no criterion was disproved'
            : `${plural(disproved, 'criterion', 'criteria')} ${disproved === 1 ? 'was' : 'were'} rejected with evidence`,
        ]
      : []),
  ]
  return toSentence(parts)
}

const toSentence = (parts: readonly string[]): string =>
  parts.length === 0 ? '' : `${capitalize(parts.join('; '))}.`

/** Describes how many verdicts were reversed, counted as in the list of reversals, and how many of them without a changed file. */
function describeReversals({ criteria, findEntries, changedFiles }: SummaryFacts): string[] {
  const byCriterion = criteria
    .filter(isRequired)
    .map(({ key }) => findReversals(findEntries(key), changedFiles))
    .filter((reversals) => reversals.length > 0)
  const reversals = byCriterion.flat()
  const unchanged = reversals.filter(({ changedFiles }) => changedFiles === 0).length
  if (reversals.length === 0) return []
  const of =
    byCriterion.length === reversals.length
      ? ''
      : ` on ${inWords(byCriterion.length)} ${byCriterion.length === 1 ? 'criterion' : 'criteria'}`
  const verdicts = `${inWords(reversals.length)} ${reversals.length === 1 ? 'verdict' : 'verdicts'}${of} ${reversals.length === 1 ? 'was' : 'were'} reversed`
  if (unchanged === 0) return [verdicts]
  const which = unchanged === reversals.length ? '' : `, ${inWords(unchanged)} of them`
  return [`${verdicts}${which} although no file changed`]
}

/** Words of a judge that could not check a criterion: such a rejection disproves nothing. */
const UNCHECKED = /\b(?:cannot|can't|could not|unable to)(?: [a-z]{1,20}){0,2} (?:verif|confirm)/i

/** Counts the criteria with a valid rejection whose evidence shows more than that the judge could not check. */
function countDisproved({ criteria, progress, ledger }: SummaryFacts): number {
  const disproves = (key: string, turn: number): boolean =>
    ledger.some(
      (entry) =>
        entry.criterionKey === key &&
        entry.turn === turn &&
        entry.status === 'rejected' &&
        entry.substantiated &&
        !UNCHECKED.test(entry.evidence ?? ''),
    )
  return criteria.filter((state) => {
    const turn = progress.get(state.key)?.evidencedRejectionTurn ?? null
    const stands = state.state === 'rejected' || state.refuted
    return isRequired(state) && stands && turn !== null && disproves(state.key, turn)
  }).length
}

const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]

const inWords = (count: number): string => NUMBERS[count] ?? String(count)
