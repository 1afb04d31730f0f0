/** An independent search: folds and compares every text, character by character, without an index. */

import { FEATURE } from '../support/records.ts'

export type OracleText = {
  /** Key of the criterion in its task. Only texts of criteria have it. */
  criterion?: string
  kind: 'criterion' | 'lesson' | 'blocker' | 'issue' | 'feedback' | 'summary' | 'failed_call'
  worldSlug: string
  turn: number
  position: number
  /** End of the turn in milliseconds; null if it is not known. */
  time: number | null
  text: string
}

const ORDER = ['criterion', 'lesson', 'blocker', 'issue', 'feedback', 'summary', 'failed_call']
const WEIGHT = {
  criterion: 5,
  lesson: 4,
  blocker: 4,
  issue: 4,
  feedback: 3,
  summary: 3,
  failed_call: 2,
} as const

const isUnspaced = (code: number): boolean =>
  (code >= 0x3041 && code <= 0x3096) ||
  (code >= 0x30a1 && code <= 0x30fa) ||
  (code >= 0x4e00 && code <= 0x9fff) ||
  (code >= 0x0e01 && code <= 0x0e3a)

const withoutAccents = (letter: string): string => [...letter.normalize('NFD')][0] ?? letter

/** Words of letters and digits; characters of a script without spaces in runs of their own. */
function runsOf(text: string): { run: string[]; unspaced: boolean }[] {
  const runs: { run: string[]; unspaced: boolean }[] = []
  let open: { run: string[]; unspaced: boolean } | null = null
  for (const character of text.normalize('NFC')) {
    const unspaced = isUnspaced(character.codePointAt(0) ?? 0)
    if (!unspaced && !/[\p{L}\p{N}]/u.test(character)) open = null
    else {
      if (open === null || open.unspaced !== unspaced) {
        open = { run: [], unspaced }
        runs.push(open)
      }
      open.run.push(unspaced ? character : withoutAccents(character).toLowerCase())
    }
  }
  return runs
}

const pairs = (run: readonly string[]): string[] => run.slice(1).map((next, i) => `${run[i]}${next}`)

const wordsOfText = (text: string): string[] =>
  runsOf(text).flatMap(({ run, unspaced }) =>
    unspaced ? [...pairs(run), run.at(-1) ?? ''] : [run.join('').slice(0, 64)],
  )

const wordsOfQuery = (query: string): string[] => [
  ...new Set(
    runsOf(query).flatMap(({ run, unspaced }) =>
      unspaced && run.length > 1 ? pairs(run) : [run.join('').slice(0, 64)],
    ),
  ),
]

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Keeps the first text of each criterion, and every other text. */
function withoutOtherWordings(sorted: readonly OracleText[]): OracleText[] {
  const seen: string[] = []
  return sorted.filter(({ criterion }) => {
    if (criterion === undefined) return true
    if (seen.includes(criterion)) return false
    seen.push(criterion)
    return true
  })
}

/** Lists the texts in which each word of the query is a word or its beginning, best first. Lists one text per criterion. */
export function searchNaively(texts: readonly OracleText[], query: string): OracleText[] {
  const sought = wordsOfQuery(query)
  const found = texts.flatMap((text) => {
    const words = wordsOfText(text.text)
    const scores = sought.map((word) =>
      words.includes(word) ? 2 : words.some((other) => other.startsWith(word)) ? 1 : 0,
    )
    if (scores.includes(0)) return []
    return [{ text, score: scores.reduce<number>((sum, score) => sum + score, 0) * WEIGHT[text.kind] }]
  })
  const time = ({ time }: OracleText) => time ?? Number.NEGATIVE_INFINITY
  // Returns the key of a session or of a criterion, without the project. The key of a criterion begins with its feature.
  const group = ({ worldSlug, criterion }: OracleText) =>
    criterion === undefined ? worldSlug : `${FEATURE}/${criterion}`
  const sorted = found
    .sort(
      (a, b) =>
        b.score - a.score ||
        compare(String(time(b.text) > time(a.text)), String(time(a.text) > time(b.text))) ||
        compare(group(a.text), group(b.text)) ||
        b.text.turn - a.text.turn ||
        ORDER.indexOf(a.text.kind) - ORDER.indexOf(b.text.kind) ||
        a.text.position - b.text.position,
    )
    .map(({ text }) => text)
  return withoutOtherWordings(sorted)
}

/** The searchable texts of a criterion: its wordings, then each label with the first wording. */
export const textsOfCriterion = (
  criterion: string,
  { wordings, labels }: { wordings: readonly string[]; labels: readonly string[] },
): OracleText[] =>
  [...wordings, ...labels.map((label) => `${label}: ${wordings[0] ?? ''}`)].map((text, position) => ({
    criterion,
    kind: 'criterion',
    worldSlug: '',
    turn: 0,
    position,
    time: null,
    text,
  }))

/** The searchable texts of a turn as it was captured. */
export function textsOfTurn(turn: {
  worldSlug?: string | null | undefined
  turnNumber: number
  completedAt?: string | null | undefined
  playerSummary: string
  coachFeedback?: string | null | undefined
  lessonsFromTurn?: readonly string[] | undefined
  blockersFound?: readonly string[] | undefined
  issues?: readonly { description: string; suggestion?: string | null | undefined }[] | undefined
}): OracleText[] {
  const of = (kind: OracleText['kind'], texts: readonly string[]) =>
    texts.map((text, position) => ({
      kind,
      worldSlug: turn.worldSlug ?? '',
      turn: turn.turnNumber,
      position,
      time: turn.completedAt == null ? null : Date.parse(turn.completedAt),
      text,
    }))
  return [
    ...of('summary', [turn.playerSummary]),
    ...of('feedback', turn.coachFeedback == null ? [] : [turn.coachFeedback]),
    ...of('lesson', turn.lessonsFromTurn ?? []),
    ...of('blocker', turn.blockersFound ?? []),
    ...of(
      'issue',
      (turn.issues ?? []).map(({ description, suggestion }) => `${description}\n${suggestion ?? ''}`),
    ),
  ]
}
