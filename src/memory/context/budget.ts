/** Fits the text of a continuation context into its token budget (contract: turns.md, "The text"). */
import { showMarksIn } from '../../core/scrub/scrub.ts'
import type { WrittenSection } from './continuation.ts'
import { cutStart, MARK } from './cut-start.ts'
import { describeLeftOut } from './left-out.ts'
import { LEAVING, type Part, type Rendering, type Section, type Shown, toSections, write } from './render.ts'
import { loadTokens, type Tokens } from './token-counter.ts'

type Count = { section: string; items: number }

export type Rendered = {
  text: string
  included: Count[]
  /** `over_budget`: the required parts exceed the budget. The items are their lines without headings. */
  omitted: (Count & { reason: 'token_budget' | 'over_budget' })[]
  tokens: { budget: number; used: number }
  /** Sections, if requested: counting them takes as long as the rest. */
  sections?: WrittenSection[]
}

/**
 * Renders the text of a continuation context in at most `tokenBudget` tokens of o200k_base.
 *
 * Over the budget, leaves out as few items as necessary, kind by kind, each kind from its end. After all of these, the long texts
 * share the remaining room. Required parts stay even if they exceed the budget.
 */
export async function renderContext(
  rendering: Rendering,
  tokenBudget: number,
  { withSections = false }: { withSections?: boolean } = {},
): Promise<Rendered> {
  const sections = showMarksIn(toSections(rendering)) // as the answer shows them, so that their tokens are counted
  const draft: Draft = { sections, budget: tokenBudget, tokens: await loadTokens() }
  const { shown, text, used } = writeAllThatFits(draft)
  return {
    text,
    ...tally(sections, shown, used > tokenBudget),
    tokens: { budget: tokenBudget, used },
    ...(withSections && {
      sections: [
        ...sections.flatMap((section) => writtenSections(section, shown, draft.tokens)),
        ...noteSection(leftOutNote(sections, shown), draft.tokens),
      ],
    }),
  }
}

function writeWithNote(sections: readonly Section[], shown: Shown): string {
  return [write(sections, shown), leftOutNote(sections, shown)].filter((text) => text !== '').join('\n\n')
}

const leftOutNote = (sections: readonly Section[], shown: Shown): string =>
  describeLeftOut(
    listParts(sections).flatMap((part) => {
      const shownText = shown(part)
      if (shownText === part.text) return []
      // The mark shows that the rest of a text is missing. A text without any shown part counts as a missing item.
      return shownText === null ? [part.section ?? 'texts'] : ['texts_cut']
    }),
  )

const noteSection = (note: string, tokens: Tokens): WrittenSection[] =>
  note === '' ? [] : [{ section: 'left_out', text: note, tokens: tokens.count(note), omitted: [] }]

type Draft = { sections: readonly Section[]; budget: number; tokens: Tokens }

type Written = { shown: Shown; text: string; used: number }

/** Writes the whole text, or all that fits. The whole text usually fits and is then counted only once. */
function writeAllThatFits(draft: Draft): Written {
  const { sections, budget, tokens } = draft
  const text = writeWithNote(sections, whole)
  const used = tokens.count(text, budget)
  if (used <= budget) return { shown: whole, text, used }
  const shown = leaveOut(draft)
  const rest = writeWithNote(sections, shown)
  return { shown, text: rest, used: tokens.count(rest) }
}

function leaveOut(draft: Draft): Shown {
  const order = leavingOrder(draft.sections)
  if (fits(draft, without(order))) return fewestLeave(draft, order)
  return withTextsCut(draft, without(order)) ?? onlyRequired
}

const whole: Shown = ({ text }) => text

/** Last resort: only the required parts. */
const onlyRequired: Shown = ({ kind, text, least }) => (kind === 'required' ? text : (least ?? null))

const fits = (draft: Draft, shown: Shown): boolean => room(draft, shown) >= 0

/** Returns the number of tokens left, which is exact unless it is negative. */
const room = ({ sections, budget, tokens }: Draft, shown: Shown): number =>
  budget - tokens.count(writeWithNote(sections, shown), budget)

function leavingOrder(sections: readonly Section[]): Part[] {
  const parts = listParts(sections).toReversed()
  return LEAVING.flatMap((leaving) => parts.filter(({ kind }) => kind === leaving))
}

const listParts = (sections: readonly Section[]): Part[] =>
  sections.flatMap(({ lines }) => lines.flatMap(({ parts }) => parts))

function without(left: readonly Part[]): Shown {
  const gone = new Set(left)
  return (part) => (gone.has(part) ? null : part.text)
}

/** Leaves out the fewest parts. The note grows with the first omitted item of a kind, so the last few are tried one by one. */
function fewestLeave(draft: Draft, order: readonly Part[]): Shown {
  const isEnough = (count: number): boolean => fits(draft, without(order.slice(0, count)))
  let [tooFew, enough] = [0, order.length]
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1
    if (isEnough(middle)) enough = middle
    else tooFew = middle
  }
  for (let count = Math.max(1, enough - MAX_SINGLE_TRIES); count < enough; count++) {
    if (isEnough(count)) enough = count
  }
  return without(order.slice(0, enough))
}

const MAX_SINGLE_TRIES = 8

/** Cuts the long texts; null if the rest exceeds the budget even without them. Tokens of joined texts are known only when written. */
function withTextsCut(draft: Draft, base: Shown): Shown | null {
  const { sections, budget, tokens } = draft
  const texts = listTexts(sections)
  const withCuts = (cuts: Cuts): Shown => {
    return (part) => (part.kind === 'text' ? (cuts.get(part) ?? part.least ?? null) : base(part))
  }
  const bare = withCuts(new Map())
  let toShare = room(draft, bare)
  if (toShare < 0) return null
  while (toShare > 0) {
    const shown = withCuts(shareOut(texts, toShare, tokens))
    const excess = tokens.count(writeWithNote(sections, shown)) - budget
    if (excess <= 0) return shown
    toShare -= excess
  }
  return bare
}

type Cuts = ReadonlyMap<Part, string | null>

/** Long text with the text that is left out together with it: the head of its line, or the separator before it. */
type Text = { part: Part; lead: string }

const listTexts = (sections: readonly Section[]): Text[] =>
  sections.flatMap(({ lines }) =>
    lines.flatMap(({ head, parts, between }) =>
      parts.flatMap((part, i) => (part.kind === 'text' ? [{ part, lead: i === 0 ? head : between }] : [])),
    ),
  )

/** Divides the room into equal shares, shortest text first. Longer texts get the room that shorter ones do not need. */
function shareOut(texts: readonly Text[], toShare: number, tokens: Tokens): Cuts {
  const shortestFirst = texts.toSorted((a, b) => a.part.text.length - b.part.text.length)
  const cuts = new Map<Part, string | null>()
  let left = toShare
  shortestFirst.forEach((text, i) => {
    const share = Math.floor(left / (texts.length - i))
    const cut = cutTo(share, text, tokens)
    cuts.set(text.part, cut)
    if (cut !== null) left = Math.max(0, left - tokens.count(asLine(text, cut)))
  })
  return cuts
}

const asLine = ({ lead }: Text, text: string): string => `${lead}${text}\n`

/** Maximum number of characters that are read per token, so that the work is proportional to the budget. Prose has 3 to 5. */
const CHARACTERS_PER_TOKEN = 8

function cutTo(share: number, text: Text, tokens: Tokens): string | null {
  const content = text.part.text
  const seen = content.slice(0, share * CHARACTERS_PER_TOKEN)
  if (seen === content && tokens.count(asLine(text, content), share) <= share) return content
  const reach = tokens.reach(asLine(text, seen), share - tokens.count(`${MARK}\n`))
  const start = cutStart(content, Math.max(0, reach - text.lead.length))
  return start === '' ? null : start + MARK
}

function tally(
  sections: readonly Section[],
  shown: Shown,
  overBudget: boolean,
): Pick<Rendered, 'included' | 'omitted'> {
  const [included, omitted] = [new Map<string, number>(), new Map<string, number>()]
  const add = (to: Map<string, number>, section: string): unknown =>
    to.set(section, (to.get(section) ?? 0) + 1)
  for (const part of listParts(sections)) {
    const shownText = shown(part)
    if (part.section !== undefined) add(shownText === null ? omitted : included, part.section)
    if (part.kind === 'text') add(shownText === part.text ? included : omitted, 'texts')
  }
  const counts = (of: Map<string, number>): Count[] => [...of].map(([section, items]) => ({ section, items }))
  return {
    included: counts(included),
    omitted: [
      ...counts(omitted).map((count) => ({ ...count, reason: 'token_budget' as const })),
      ...(overBudget
        ? [{ section: 'required', items: requiredLines(sections), reason: 'over_budget' as const }]
        : []),
    ],
  }
}

/** Lists a section with its omissions; empty if it has neither text nor omissions. */
function writtenSections(section: Section, shown: Shown, tokens: Tokens): WrittenSection[] {
  const text = write([section], shown)
  const omitted = listParts([section]).flatMap((part) => {
    const missing = missingText(part, shown(part))
    if (missing === '') return []
    const what = part.section ?? 'texts'
    return [{ part: what, text: missing, tokens: tokens.count(missing), reason: 'token_budget' as const }]
  })
  return text === '' && omitted.length === 0
    ? []
    : [{ section: section.name, text, tokens: tokens.count(text), omitted }]
}

/** Returns the missing part of a text. The shown part of a cut text ends with the mark. */
function missingText({ text }: Part, standing: string | null): string {
  if (standing === text) return ''
  return standing === null ? text : text.slice(standing.length - MARK.length)
}

const requiredLines = (sections: readonly Section[]): number =>
  sections.flatMap(({ lines }) => lines).filter(({ parts }) => parts.some(({ kind }) => kind === 'required'))
    .length
