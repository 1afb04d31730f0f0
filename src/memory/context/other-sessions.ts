/** Finds facts from other sessions of a project (contract: specification.md, "Other sessions know something"). */
import * as z from 'zod'
import { compareInstants } from '../../core/instants.ts'
import { featureKey, worldKey } from '../../core/keys.ts'
import { listFileNodes, listProjectFiles } from '../../core/project-paths.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { findIdentifiers } from '../../rules/causes.ts'
import { compareCodeUnits } from '../../rules/labels.ts'
import { type Complaint, issueSignature } from '../../rules/signature.ts'
import { isInformative } from '../../rules/summaries.ts'
import { optionalText, textList } from '../../rules/values.ts'
import type { TurnState } from '../record/record.ts'
import type { ContextRequest, KnownElsewhere } from './continuation.ts'
import { cutStart, MARK } from './cut-start.ts'

const byFiles = statement('elsewhere/related', 'by-files')
const byGates = statement('elsewhere/related', 'by-gates')
const byIssues = statement('elsewhere/related', 'by-issues')
const byFeature = statement('elsewhere/related', 'by-feature')

type Texts = Pick<TurnState, 'filesModified' | 'lessonsFromTurn' | 'blockersFound'>

/** The asking session: its newest turn, the gates of that turn, and its open issues. */
type Asking = {
  turn: Texts
  gates: readonly { name: string; status: string }[]
  openIssues: readonly Complaint[]
}

/** Reasons to show a turn of another session, in the order of the list. */
const RULES = ['issue', 'work', 'feature'] as const
type Rule = (typeof RULES)[number]

const shownTurn = z.object({
  number: z.number(),
  completedAt: optionalText,
  playerSummary: z.string().optional(),
  lessonsFromTurn: textList,
  blockersFound: textList,
  filesModified: textList,
})

const relatedRow = z.object({
  /** Signature of the issue; empty for another reason. */
  signature: z.string(),
  worldSlug: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  turn: shownTurn,
  /** Later counted turns, if the reason is an issue; earlier turns with lessons, if it is the feature. */
  around: z.array(shownTurn),
})
type Related = z.output<typeof relatedRow> & { rule: Rule }
type ShownTurn = z.output<typeof shownTurn>

/** Maximum number of items, and of turns of each reason. */
const MAX_ITEMS = 5
/** An issue with fewer identifiers is too unspecific to match. */
const MIN_IDENTIFIERS = 2

/** Checks whether a context needs facts from other sessions. A context as of a turn needs none: their earlier state is not known. */
export const isKnownRequested = ({ elsewhere, asOf }: Pick<ContextRequest, 'elsewhere' | 'asOf'>): boolean =>
  elsewhere === 'known' && asOf === 'now'

/** Reads turns of other sessions. They have no data of a judge, so both roles get the same facts. `asking`: null before turn 1. */
export async function readKnown(
  graph: Graph,
  { project, featureId }: { project: string; featureId: string },
  worldSlug: string | null,
  asking: Asking | null,
): Promise<KnownElsewhere[]> {
  const { turn, gates, openIssues } = asking ?? { turn: NO_TEXTS, gates: [], openIssues: [] }
  const issues = new Map(
    openIssues
      .filter(({ description }) => findIdentifiers(description).size >= MIN_IDENTIFIERS)
      .map((issue) => [issueSignature(issue), issue.description]),
  )
  const files = listFileNodes(project, turn.filesModified)
  const failed = gates.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const own = worldSlug === null ? '' : worldKey(project, worldSlug)
  const read = async (rule: Rule, by: Statement, keys: number, params: Params): Promise<Related[]> =>
    keys === 0
      ? []
      : (await readRows(graph, by, { own, ...params }, relatedRow)).map((row) => ({ rule, ...row }))
  const found = await Promise.all([
    read('issue', byIssues, issues.size, { project, signatures: [...issues.keys()] }),
    read('work', byFiles, files.length, { files: files.map(({ key }) => key) }),
    read('work', byGates, failed.length, { project, gates: failed }),
    read('feature', byFeature, 1, { featureKey: featureKey(project, featureId) }),
  ])
  const shared = new Set(files.map(({ path }) => path))
  return chooseItems(
    found.flat().flatMap((row) => toCandidates(row, issues, shared)),
    turn,
  )
}

const NO_TEXTS: Texts = { filesModified: [], lessonsFromTurn: [], blockersFound: [] }

/** Item with the values that determine its position. */
type Candidate = { item: KnownElsewhere; rule: Rule; shared: number; completedAt: string }

function toCandidates(
  { rule, featureId, taskId, worldSlug, turn, signature, around }: Related,
  ownIssues: ReadonlyMap<string, string>,
  ownFiles: ReadonlySet<string>,
): Candidate[] {
  const nothing = { issues: [], summary: null, lessons: [], blockers: [] }
  const toCandidate = (of: ShownTurn, shown: Partial<KnownElsewhere>): Candidate => ({
    rule,
    shared: listProjectFiles(of.filesModified).filter((file) => ownFiles.has(file)).length,
    completedAt: sortableInstant(of.completedAt),
    item: { featureId, taskId, worldSlug, turn: of.number, ...nothing, ...shown },
  })
  if (rule === 'work')
    return [toCandidate(turn, { lessons: turn.lessonsFromTurn, blockers: turn.blockersFound })]
  if (rule === 'feature')
    return [turn, ...around].map((each) => toCandidate(each, { lessons: each.lessonsFromTurn }))
  const [solving] = around.toSorted((a, b) => a.number - b.number)
  const issue = ownIssues.get(signature)
  if (solving?.playerSummary === undefined || issue === undefined || !isInformative(solving.playerSummary))
    return []
  return [toCandidate(solving, { issues: [shorten(issue)], summary: shorten(solving.playerSummary) })]
}

/** Writes an instant at a fixed length, so that texts sort by time. An absent instant sorts first. */
function sortableInstant(instant: string | null): string {
  if (instant === null) return ''
  const utc = instant.replace('Z', '').slice(0, INSTANT_TEMPLATE.length)
  return utc + INSTANT_TEMPLATE.slice(utc.length)
}

const INSTANT_TEMPLATE = '0000-00-00T00:00:00.000000'

/** Chooses items in order without repeated issues, turns or texts, and without texts of the session's own last turn. */
function chooseItems(candidates: readonly Candidate[], lastTurn: Texts): KnownElsewhere[] {
  const chosen = new Map<string, KnownElsewhere>()
  const seen = new Set([...lastTurn.lessonsFromTurn, ...lastTurn.blockersFound].map(withoutSpaces))
  const takeNew = (texts: readonly string[]) =>
    texts.filter((text) => {
      const words = withoutSpaces(text)
      if (words === '' || seen.has(words)) return false
      seen.add(words)
      return true
    })
  for (const { item } of candidates.toSorted(byPlace)) {
    const key = `${item.worldSlug}\n${item.turn}`
    const before = chosen.get(key)
    if (before === undefined && chosen.size === MAX_ITEMS) continue
    const isSolved = [...chosen.values()].some(({ issues }) =>
      issues.some((issue) => item.issues.includes(issue)),
    )
    const issues = isSolved ? [] : item.issues
    const lessons = takeNew(item.lessons).slice(0, MAX_TEXTS).map(shorten)
    const blockers = takeNew(item.blockers).slice(0, MAX_TEXTS).map(shorten)
    if (issues.length + lessons.length + blockers.length === 0) continue
    chosen.set(key, {
      ...(before ?? item),
      issues: [...(before?.issues ?? []), ...issues],
      lessons: [...(before?.lessons ?? []), ...lessons],
      blockers: [...(before?.blockers ?? []), ...blockers],
    })
  }
  return [...chosen.values()]
}

const withoutSpaces = (text: string): string => text.replace(/\s+/gu, ' ').trim()

function byPlace(a: Candidate, b: Candidate): number {
  return (
    RULES.indexOf(a.rule) - RULES.indexOf(b.rule) ||
    b.shared - a.shared ||
    compareInstants(b.completedAt, a.completedAt) ||
    compareCodeUnits(a.item.worldSlug, b.item.worldSlug) ||
    a.item.turn - b.item.turn ||
    compareCodeUnits(a.item.issues.join(), b.item.issues.join())
  )
}

/** Maximum number of texts per turn, and of characters per text. The record of the turn has all of them. */
const MAX_TEXTS = 5
const MAX_TEXT_LENGTH = 500

const shorten = (text: string): string =>
  text.length <= MAX_TEXT_LENGTH ? text : cutStart(text, MAX_TEXT_LENGTH) + MARK
