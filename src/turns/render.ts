import type { Role, ShownCriterion } from '../criteria/shown.ts'
import type { PriorTurn } from './continuation.ts'
import { LIMITS } from './text.ts'

/**
 * The text of a continuation context, as items: seed 000's lines, in the seed's order and form, byte for byte where
 * a record says nothing more than the seed's; further sections after it (contract: turns.md, "The text").
 */

/** What the text says of the prior turn itself. */
export type Summary = Pick<
  PriorTurn,
  | 'turnNumber'
  | 'playerSummary'
  | 'coachDecision'
  | 'coachFeedback'
  | 'blockersFound'
  | 'lessonsFromTurn'
  | 'whatToTryNext'
>

/** What is left of a turn where the perspective is reset. */
export const withoutJudgement = <S extends Summary>(prior: S): S => ({
  ...prior,
  coachFeedback: null,
  // Often the Coach's own suggestions, as an import takes them from its issues.
  whatToTryNext: null,
})

export type Rendering = {
  prior: Summary
  criteria: readonly ShownCriterion[]
  /** Most severe first. */
  issues: PriorTurn['issues']
  role: Role
  /** A turn older than the prior one recorded a verification. */
  olderTurnsRecorded: boolean
  /** Keys of the criteria that the prior turn itself verified. */
  verifiedInPrior: ReadonlySet<string>
  /** Promises recovered from an earlier turn (coach only); null otherwise. */
  recovered: {
    fromTurn: number
    items: readonly { label: string; status: string; evidence: string | null }[]
  } | null
  /** In words, where the session stalls; null otherwise. */
  stallWarning: string | null
}

/** What leaves a text that is too long, in this order. */
export const LEAVING = [
  'evidence',
  'advisory',
  'should_fix',
  'lessons',
  'blockers',
  'criterion_texts',
  'promises',
] as const

/** A `text` is cut once all those have left; `progress`, which the statuses tell as well, leaves last of all. */
export type Kind = (typeof LEAVING)[number] | 'text' | 'progress' | 'required'

/** One item of the text: stays or leaves as a whole, unless it is a `text`. */
export type Part = {
  kind: Kind
  text: string
  /** Under what it is counted as included or omitted. */
  section?: string
  /** What stands where not even the beginning of a `text` fits; without it nothing does. */
  least?: string
}

/** `head` and `between` stand only where parts do. */
export type Line = { head: string; parts: readonly Part[]; between: string }

export type SectionName = 'turn' | 'criteria' | 'issues' | 'promises' | 'progress' | 'stall'

/** The heading stands only where lines do. */
export type Section = { name: SectionName; heading: string | null; lines: readonly Line[] }

/** What stands for a part; null where nothing does. */
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
  const standing = texts.filter((text) => text !== null)
  return standing.length === 0 ? null : standing.join(between)
}

export function sectionsOf(rendering: Rendering): Section[] {
  return [
    { name: 'turn', heading: null, lines: summaryLines(rendering.prior) },
    {
      name: 'criteria',
      heading: '**Acceptance Criteria Status**:',
      lines: rendering.criteria.flatMap((criterion) => criterionLines(criterion, rendering)),
    },
    {
      name: 'issues',
      heading: '**Open issues** (most severe first):',
      lines: rendering.issues.map(issueLine),
    },
    promiseSection(rendering),
    { name: 'progress', heading: null, lines: progressLines(rendering) },
    {
      name: 'stall',
      heading: null,
      lines: labelled('Stall warning', textParts(rendering.stallWarning, 'stall')),
    },
  ]
}

function summaryLines(prior: Summary): Line[] {
  return [
    plain({
      kind: 'required',
      text: `## Previous Turn Summary (Turn ${prior.turnNumber})`,
      section: 'turn',
    }),
    ...labelled('What was attempted', textParts(prior.playerSummary)),
    plain({ kind: 'required', text: `**Coach decision**: ${prior.coachDecision}` }),
    ...labelled('Feedback', textParts(prior.coachFeedback)),
    ...labelled('Blockers found', blockerParts(prior.blockersFound), ', '),
    ...labelled('Lessons learned', lessonParts(prior.lessonsFromTurn), '; '),
    ...labelled('Suggested focus for this turn', textParts(prior.whatToTryNext)),
  ]
}

const BLOCKERS_KEPT = 5

function blockerParts(blockers: readonly string[]): Part[] {
  return blockers.map((text, i) => ({
    kind: i < BLOCKERS_KEPT ? 'text' : 'blockers',
    text,
    section: 'blockers',
  }))
}

const lessonParts = (lessons: readonly string[]): Part[] =>
  lessons.map((text) => ({ kind: 'lessons', text, section: 'lessons' }))

const ICONS = { verified: '✓', rejected: '✗', pending: '○' } as const

function criterionLines(criterion: ShownCriterion, { role, verifiedInPrior }: Rendering): Line[] {
  const { state, criterionId, text } = criterion
  const [icon, status] = [`  ${ICONS[state]} `, `: ${state}${since(criterion, verifiedInPrior)}`]
  const name =
    criterionId === '' ? nameParts(oneLine(text ?? '')) : [{ kind: 'required', text: criterionId } as const]
  // What is left to do is named; what is proven needs no words.
  const what = state === 'verified' || text === null || criterionId === '' ? null : ` — ${oneLine(text)}`
  const evidence = role === 'coach' && state === 'verified' ? lastEvidence(criterion) : null
  return [
    plain(
      { kind: 'required', text: icon, section: 'criteria' },
      ...name,
      { kind: 'required', text: status },
      ...optional('criterion_texts', what),
    ),
    ...optional('evidence', evidence === null ? null : `      ${oneLine(evidence)}`).map((part) =>
      plain(part),
    ),
  ]
}

/** The text is the name of a criterion without a label: no more of it has to stay than a label may be long. */
function nameParts(name: string): Part[] {
  if (name.length <= LIMITS.nameCharacters) return [{ kind: 'required', text: name }]
  const start = startOf(name, LIMITS.nameCharacters, ['word', 'grapheme'])
  return [
    { kind: 'required', text: start },
    { kind: 'text', text: name.slice(start.length), least: MARK },
  ]
}

/** Only where the prior turn did not itself say so: there the line is the seed's. */
function since(
  { key, state, verifiedInTurn, contested }: ShownCriterion,
  verifiedInPrior: ReadonlySet<string>,
): string {
  if (state !== 'verified' || (verifiedInPrior.has(key) && contested === null)) return ''
  const turn = `turn ${verifiedInTurn}`
  return contested === null ? ` (${turn})` : ` (${turn}, contested in turn ${contested.turn})`
}

function lastEvidence({ history }: ShownCriterion): string | null {
  return (
    history?.findLast(({ status, evidence }) => status === 'verified' && evidence !== null)?.evidence ?? null
  )
}

function issueLine({ severity, description }: PriorTurn['issues'][number]): Line {
  const section = 'issues'
  const text = `  - [${severity}] ${description}`
  if (severity !== 'blocking') return plain({ kind: severity, text, section })
  const [firstLine] = FIRST_LINE.exec(text) ?? ['']
  return plain({ kind: 'required', text: firstLine, section }, ...textParts(text.slice(firstLine.length)))
}

/** The first that says something. */
const FIRST_LINE = /^ {2}- \[blocking\]\s*.*/u

function promiseSection({ role, recovered }: Rendering): Section {
  if (role !== 'coach' || recovered === null) return { name: 'promises', heading: null, lines: [] }
  const { fromTurn, items } = recovered
  return {
    name: 'promises',
    heading: `**Promises recovered from turn ${fromTurn}**: ${items.length}`,
    lines: items.map(({ label, status, evidence }) =>
      plain(
        { kind: 'promises', text: `  - ${label}: ${status}`, section: 'promises' },
        ...optional('evidence', evidence === null ? null : ` — ${oneLine(evidence)}`),
      ),
    ),
  }
}

function progressLines({ criteria, prior, olderTurnsRecorded }: Rendering): Line[] {
  if (!olderTurnsRecorded) return []
  const verified = criteria.filter(({ state }) => state === 'verified').length
  const text = `**Progress**: ${verified} of ${criteria.length} criteria verified after turn ${prior.turnNumber}`
  return [plain({ kind: 'progress', text, section: 'progress' })]
}

const plain = (...parts: Part[]): Line => ({ head: '', parts, between: '' })

function labelled(name: string, parts: readonly Part[], between = ''): Line[] {
  const content = parts.map(({ text }) => text).join(between)
  return content === '' ? [] : [{ head: `**${name}**: `, parts, between }]
}

const textParts = (text: string | null, section?: string): Part[] =>
  text === null || text === '' ? [] : [{ kind: 'text', text, ...(section === undefined ? {} : { section }) }]

const optional = (section: 'evidence' | 'criterion_texts', text: string | null): Part[] =>
  text === null ? [] : [{ kind: section, text, section }]

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/** Ends a text that was cut. */
export const MARK = ' […]'

/** Longer ones, in characters, are no prose but a dump or a log, and are cut inside. */
const LONGEST = { sentence: 1_000, word: 100, grapheme: Number.POSITIVE_INFINITY } as const
type Unit = keyof typeof LONGEST

/** The start of a text, up to where its last sentence before `end` ends; a word or a grapheme where none does. */
export function startOf(
  text: string,
  end: number,
  units: readonly Unit[] = ['sentence', 'word', 'grapheme'],
): string {
  const at = nextInk(text, end)
  for (const unit of units) {
    const found = segmenter(unit).segment(text).containing(at)
    if (found === undefined || found.segment.length > LONGEST[unit]) continue
    const start = text.slice(0, found.index).trimEnd()
    if (start !== '') return start
  }
  return ''
}

/** Where the next unit begins if one ends at `end`. */
function nextInk(text: string, end: number): number {
  INK.lastIndex = end
  return Math.min(INK.exec(text)?.index ?? text.length, text.length - 1)
}
const INK = /\S/g

/** Made on first use: 1 ms each. */
function segmenter(granularity: Unit): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity })
  segmenters.set(granularity, made)
  return made
}
const segmenters = new Map<Unit, Intl.Segmenter>()
