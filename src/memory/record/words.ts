/** The allowed words of a turn record with their synonyms, for all doors (contract: turns.md). */
import { closestMatch } from 'leven'
import * as z from 'zod'
import { label } from '../../core/fields.ts'
import { scrubText } from '../../core/scrub/scrub.ts'
import { trimEnd } from '../../core/trim-end.ts'
import type {
  CoachDecision,
  CriterionStatus,
  Mode,
  PlayerDecision,
  PromiseStatus,
  Severity,
} from '../../rules/values.ts'

export type Words<T extends string> = Readonly<Record<T, readonly string[]>>

export const COACH_DECISION_WORDS = {
  approved: [
    'approve',
    'accepted',
    'accept',
    'pass',
    'passed',
    'ok',
    'lgtm',
    'done',
    'complete',
    'completed',
  ],
  feedback: ['needs_revision', 'needs_work', 'changes_requested', 'revise', 'retry'],
  rejected: ['reject', 'fail', 'failed', 'no'],
  deferred: ['defer'],
  error: [],
  unknown: [],
} as const satisfies Words<CoachDecision>

export const PLAYER_DECISION_WORDS = {
  implemented: ['implement', 'complete', 'completed', 'done', 'success', 'succeeded', 'pass', 'passed', 'ok'],
  failed: ['fail', 'failure', 'error'],
  blocked: ['block', 'stuck'],
  unknown: [],
} as const satisfies Words<PlayerDecision>

export const MODE_WORDS = {
  fresh_start: ['fresh', 'start'],
  recovering_state: ['recovering', 'recover', 'recovery', 'recovered'],
  continuing_work: ['continuing', 'continue', 'continued'],
} as const satisfies Words<Mode>

export const CRITERION_STATUS_WORDS = {
  verified: ['passed', 'complete', 'completed', 'done'],
  rejected: ['failed'],
  pending: ['not_started', 'in_progress'],
  unknown: ['unverified', 'absent'],
} as const satisfies Words<CriterionStatus>

/** The words of the API, and those of tests and checklists that Coaches write into their files and answers. */
export const RESULT_WORDS = {
  ...CRITERION_STATUS_WORDS,
  verified: [...CRITERION_STATUS_WORDS.verified, 'pass', 'met', 'true'],
  rejected: [...CRITERION_STATUS_WORDS.rejected, 'fail', 'not_met', 'unmet', 'false'],
} as const satisfies Words<CriterionStatus>

export const PROMISE_STATUS_WORDS = {
  complete: ['completed', 'done', 'finished', 'implemented', 'yes', 'true'],
  partial: ['in_progress'],
  incomplete: ['not_started', 'todo', 'failed', 'no', 'false'],
  uncertain: ['unknown'],
} as const satisfies Words<PromiseStatus>

export const SEVERITY_WORDS = {
  blocking: [
    'blocker',
    'must_fix',
    'critical',
    'major',
    'high',
    'severe',
    'error',
    'fatal',
    'p0',
    'p1',
    'sev0',
    'sev1',
  ],
  should_fix: ['minor', 'medium', 'moderate', 'warning', 'p2', 'sev2'],
  advisory: ['low', 'trivial', 'info', 'note', 'nit', 'suggestion', 'consider', 'optional', 'p3', 'p4'],
} as const satisfies Words<Severity>

/** Returns the canonical words of a table as the tuple type that `z.enum` requires. */
const canonicalWords = <T extends string>(words: Words<T>): readonly [T, ...T[]] =>
  Object.keys(words) as [T, ...T[]]

/** Folds case, surrounding space and closing punctuation: ` Needs work. ` becomes `needs_work`. */
export const foldWord = (word: string): string =>
  trimEnd(word.trim().toLowerCase(), (character) => /[\p{P}\s]/u.test(character)).replaceAll(/[\s-]+/g, '_')

/** The canonical word that is meant; `undefined` where the table has neither it nor a synonym. */
export function findWord<T extends string>(words: Words<T>, given: string): T | undefined {
  const folded = foldWord(given)
  return canonicalWords(words).find((word) => word === folded || words[word].includes(folded))
}

export const findCoachDecision = (given: string) => findWord(COACH_DECISION_WORDS, given)
export const findPlayerDecision = (given: string) => findWord(PLAYER_DECISION_WORDS, given)
/** Checks for a word that only a Coach decides. GuardKit writes the Coach's decision into `player_decision` too. */
export const isCoachWord = (given: string): boolean =>
  findPlayerDecision(given) === undefined && findCoachDecision(given) !== undefined
/** Reads a Player's decision. A Coach judged the turn if the word is a Coach's, so the Player implemented something. */
export const toPlayerDecision = (given: string): PlayerDecision | undefined =>
  isCoachWord(given) ? 'implemented' : findPlayerDecision(given)
export const findSeverity = (given: string) => findWord(SEVERITY_WORDS, given)
/** An import stores this severity for a word that the table does not have. */
export const UNKNOWN_SEVERITY: Severity = 'should_fix'
export const toSeverity = (given: string): Severity => findSeverity(given) ?? UNKNOWN_SEVERITY
export const findMode = (given: string) => findWord(MODE_WORDS, given)

/** Maximum length of a quoted word, because a model's whole sentence would hide the message. */
const SHOWN_CHARACTERS = 60

const NEGATION = /^(?:not?|non|never|un|dis|in)/

/** Finds a similar word to suggest. Skips negated words: they are similar but mean the opposite. */
export const nearestWord = (folded: string, words: readonly string[]): string | undefined =>
  NEGATION.test(folded)
    ? undefined
    : closestMatch(folded, [...words], { maxDistance: Math.min(2, Math.floor(folded.length / 3)) })

/** Why a word is refused, with the nearest one that would be taken. */
export function explainRefusal<T extends string>(words: Words<T>, given: string): string {
  const canonical = canonicalWords(words)
  const use = `use ${canonical.slice(0, -1).join(', ')} or ${canonical.at(-1)}`
  const folded = foldWord(given)
  if (folded === '') return `is empty; ${use}`
  const clean = scrubText(given) // before the cut, after which a secret could not be recognized
  const shown =
    clean.length > SHOWN_CHARACTERS ? `${clean.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : clean
  // Canonical words come first, because the first of two equally similar words is suggested.
  const nearest = nearestWord(folded, [...canonical, ...synonymsIn(words)])
  return nearest === undefined
    ? `"${shown}" is not known; ${use}`
    : `"${shown}": did you mean "${nearest}"? Or ${use}`
}

/** Accepts a word in any spelling of the table. Keeps the given word, because the record stores it, too. */
export const decision = <T extends string>(
  words: Words<T>,
  find: (given: string) => T | undefined = (given) => findWord(words, given),
) =>
  label.check((ctx) => {
    if (find(ctx.value) !== undefined) return
    ctx.issues.push({ code: 'custom', message: explainRefusal(words, ctx.value), input: ctx.value })
  })

const synonymsIn = <T extends string>(words: Words<T>): string[] =>
  canonicalWords(words).flatMap((word) => words[word])

/** Maps a word in any spelling of the table to its canonical word. Rejects any other word instead of guessing. */
const canonicalWord = <T extends string>(base: z.ZodString, words: Words<T>) =>
  base
    .transform((given, ctx): T => {
      const found = findWord(words, given)
      if (found !== undefined) return found
      ctx.addIssue({ code: 'custom', message: explainRefusal(words, given) })
      return z.NEVER
    })
    .meta({ enum: [...canonicalWords(words), ...synonymsIn(words)] })

export const mode = canonicalWord<Mode>(label, MODE_WORDS)
export const criterionStatus = canonicalWord<CriterionStatus>(z.string(), CRITERION_STATUS_WORDS)
export const resultStatus = canonicalWord<CriterionStatus>(z.string(), RESULT_WORDS)
export const promiseStatus = canonicalWord<PromiseStatus>(z.string(), PROMISE_STATUS_WORDS)
