/** Separates evidence from its absence (truth.md): a rejection has evidence of its own only if its text describes the work. */
import { trimEnd } from '../core/trim-end.ts'
import { LIST_MARK, withoutListMark } from './labels.ts'

/** Starts of texts that only report a failed search or repeat the Player, without marks. */
const ABSENCE_TEXTS: readonly RegExp[] = [
  /^promise status ?:/i,
  /^no completion promise for\b/i,
  /^not found in player requirements met\b/i,
  /^\[text fallback\]/i,
  /^matched in player requirements met\b/i,
]

/** Normalizes evidence. Emphasis, quotes, list marks and sentence ends do not count. Signs do: `returns -1` is not `returns 1`. */
function normalizeEvidence(text: string): string {
  const unmarked = text
    .normalize('NFKC')
    .replace(LIST_MARK, '')
    .replace(/[`*"“”]/gu, '')
  const words = unmarked
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')
  return trimEnd(words.join(' '), (character) => '.;:,! '.includes(character))
}

/** The evidence that the Player gave with the promises of a turn, for {@link isSubstantiated}. */
export const listPromisedEvidence = (
  promises: readonly { evidence?: string | null | undefined }[],
): ReadonlySet<string> =>
  new Set(promises.flatMap(({ evidence }) => (evidence == null ? [] : [normalizeEvidence(evidence)])))

/** Returns whether a text says nothing of the work: an empty one, or one that only reports a failed search. */
export function isAbsence(evidence: string | null): boolean {
  const unlisted = withoutListMark((evidence ?? '').normalize('NFKC'))
  const text = unlisted.replace(/[\s`*_#>"'“”]+/gu, ' ').trim()
  return text === '' || ABSENCE_TEXTS.some((form) => form.test(text))
}

/**
 * Returns whether the text of a judgement describes the work.
 *
 * @param promised evidence of the Player's promises: a judge who repeats it adds no evidence
 * @example
 * isSubstantiated('npm test: 2 of 41 fail', new Set()) // true
 * isSubstantiated('No completion promise for AC-003', new Set()) // false
 */
export const isSubstantiated = (evidence: string | null, promised: ReadonlySet<string>): boolean =>
  !isAbsence(evidence) && !promised.has(normalizeEvidence(evidence ?? ''))
