/** Finds facts from other sessions of a project (contract: specification.md, "Other sessions know something"). */
import * as z from 'zod'
import { topicKey, topicName, worldKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { findIdentifiers } from '../../rules/causes.ts'
import { compareCodeUnits } from '../../rules/labels.ts'
import { type Complaint, issueSignature } from '../../rules/signature.ts'
import { isInformative } from '../../rules/summaries.ts'
import { columns, optionalText, textList } from '../../rules/values.ts'
import { MOST_NAMES, projectFiles, SLOTS, sessionMark, sortableInstant } from '../elsewhere/topics.ts'
import type { TurnState } from '../record/record.ts'
import type { ContextRequest, KnownElsewhere } from './continuation.ts'
import { cutStart, MARK } from './cut-start.ts'

const otherSessions = statement('elsewhere/other-sessions')

type LastTurn = Pick<TurnState, 'filesModified' | 'lessonsFromTurn' | 'blockersFound'>

/** Reasons to show a turn of another session, in the order of the list. */
const RULES = ['issue', 'work', 'feature'] as const
type Rule = (typeof RULES)[number]

const sessionRow = columns({
  rule: z.enum(RULES),
  /** Signature of the issue, if the reason is an issue. */
  name: z.string(),
  raisedIn: z.array(z.number()),
  worldSlug: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  currentTurn: z.number(),
  turn: columns({
    number: z.number(),
    completedAt: optionalText,
    lessonsFromTurn: textList,
    blockersFound: textList,
    filesModified: textList,
  }),
  /** Later counted turns: other turns do not judge. */
  judgedLater: z.array(
    columns({
      number: z.number(),
      completedAt: optionalText,
      playerSummary: z.string(),
      filesModified: textList,
    }),
  ),
  earlier: z.array(
    columns({
      number: z.number(),
      completedAt: optionalText,
      lessonsFromTurn: textList,
      filesModified: textList,
    }),
  ),
})
type SessionRow = z.output<typeof sessionRow>

/** Column of a statement with `elsewhere/_found`. */
export const knownColumn = { known: z.array(sessionRow) }

type ToldTurn = { number: number; completedAt: string | null; filesModified: readonly string[] }

const MAX_ITEMS = 5
/** An issue with fewer identifiers is too unspecific to match. */
const MIN_IDENTIFIERS = 2

const slots = Array.from({ length: SLOTS }, (_, slot) => slot)

/** Checks whether a context needs facts from other sessions. Not as of a turn: topics link to the newest turns only. */
export const isKnownRequested = ({ elsewhere, asOf }: Pick<ContextRequest, 'elsewhere' | 'asOf'>): boolean =>
  elsewhere === 'known' && asOf === 'now'

/** Builds the parameters with which `turns/context` searches other sessions: parts of topics, and a number of issues per turn. */
export const paramsToAsk = (request: Pick<ContextRequest, 'elsewhere' | 'asOf'>) => ({
  slots: isKnownRequested(request) ? slots : [],
  mostIssues: MOST_NAMES,
})

/**
 * Chooses at most five turns, each with its reason. They contain no data of a judge, so both roles get the same (invariant 9).
 *
 * @param known result of the statement
 * @param openIssues open issues of the requesting session
 * @param lastTurn newest turn of the requesting session
 */
export function chooseFromOthers(
  known: readonly SessionRow[],
  openIssues: readonly Complaint[],
  lastTurn: LastTurn,
): KnownElsewhere[] {
  const issues = new Map(
    openIssues
      .filter(({ description }) => findIdentifiers(description).size >= MIN_IDENTIFIERS)
      .map((issue) => [issueSignature(issue), issue.description]),
  )
  const files = new Set(projectFiles(lastTurn.filesModified))
  return chooseItems(
    known.flatMap((row) => tellRow(row, issues, files)),
    lastTurn,
  )
}

/** Reads facts from other sessions before the first turn of a session, by its feature only. */
export async function readKnownOfFeature(
  graph: Graph,
  { project, featureId, worldSlug }: { project: string; featureId: string; worldSlug: string | null },
): Promise<KnownElsewhere[]> {
  const topic = {
    rule: 'feature',
    name: '',
    shares: 0,
    key: topicKey(project, topicName('feature', featureId)),
  }
  const own = sessionMark(worldSlug === null ? '' : worldKey(project, worldSlug))
  const [row] = await readRows(graph, otherSessions, { topics: [topic], slots, own }, knownRow)
  return chooseFromOthers(row?.known ?? [], [], NO_TURN)
}

const knownRow = z.object(knownColumn)
const NO_TURN: LastTurn = { filesModified: [], lessonsFromTurn: [], blockersFound: [] }

/** Item with the values that determine its position. */
type Candidate = { item: KnownElsewhere; rule: Rule; shared: number; completedAt: string }

function tellRow(
  row: SessionRow,
  ownIssues: ReadonlyMap<string, string>,
  ownFiles: ReadonlySet<string>,
): Candidate[] {
  const { rule, featureId, taskId, worldSlug, turn, earlier } = row
  const nothing = { issues: [], summary: null, lessons: [], blockers: [] }
  const tell = (told: ToldTurn, what: Partial<KnownElsewhere>): Candidate => ({
    rule,
    shared: projectFiles(told.filesModified).filter((file) => ownFiles.has(file)).length,
    completedAt: sortableInstant(told.completedAt),
    item: { featureId, taskId, worldSlug, turn: told.number, ...nothing, ...what },
  })
  if (rule === 'work') return [tell(turn, { lessons: turn.lessonsFromTurn, blockers: turn.blockersFound })]
  if (rule === 'feature') {
    const isFinished = turn.number === row.currentTurn // no turn follows the approved one
    return isFinished ? [turn, ...earlier].map((each) => tell(each, { lessons: each.lessonsFromTurn })) : []
  }
  const went = turnWithout(row)
  const issue = ownIssues.get(row.name)
  if (went === undefined || issue === undefined || !isInformative(went.playerSummary)) return []
  return [tell(went, { issues: [shorten(issue)], summary: shorten(went.playerSummary) })]
}

/** Finds the judged turn that no longer raised the issue. */
function turnWithout({ raisedIn, judgedLater }: SessionRow): SessionRow['judgedLater'][number] | undefined {
  const last = Math.max(...raisedIn)
  return judgedLater.filter(({ number }) => number > last).sort((a, b) => a.number - b.number)[0]
}

/** Chooses items in order without repeated issues, turns or texts, and without texts of the session's own last turn. */
function chooseItems(candidates: readonly Candidate[], lastTurn: LastTurn): KnownElsewhere[] {
  const chosen = new Map<string, KnownElsewhere>()
  const told = new Set([...lastTurn.lessonsFromTurn, ...lastTurn.blockersFound].map(withoutSpaces))
  const takeNew = (texts: readonly string[]) =>
    texts.filter((text) => {
      const words = withoutSpaces(text)
      if (words === '' || told.has(words)) return false
      told.add(words)
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
    compareCodeUnits(b.completedAt, a.completedAt) ||
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
