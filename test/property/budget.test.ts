import fc from 'fast-check'
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { type Rendered, renderContext } from '../../src/memory/context/budget.ts'
import type { Elsewhere, PriorTurn } from '../../src/memory/context/continuation.ts'
import type { Rendering as AnyRendering, Summary } from '../../src/memory/context/render.ts'
import { loadTokens } from '../../src/memory/context/token-counter.ts'
import type { ShownCriterion } from '../../src/memory/criteria/views.ts'
import { BASES } from '../../src/rules/basis.ts'
import { groupByCause } from '../../src/rules/causes.ts'
import { toBlock, toOneLine } from '../../src/rules/foreign-text.ts'
import { cases } from './cases.ts'

/** The rendering of a turn with a prior turn. */
type Rendering = AnyRendering & { prior: Summary }

/** The count of the package, with its own merging. */
const tokensOf = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })
setMergeCacheSize(1_000)

const any = (maxLength: number) => fc.string({ unit: 'binary', maxLength })
/** Texts of characters at which pieces of the split pattern, sentences and lines begin and end. */
const edges = (maxLength: number) =>
  fc.string({
    unit: fc.constantFrom(
      ...[
        'a',
        'B',
        ' ',
        '  ',
        '\n',
        '\r\n',
        '\t',
        '/',
        '.',
        ',',
        ';',
        '. A',
        "'s",
        '1',
        '—',
        '[…]',
        '**',
        '- ',
      ],
      ...[
        '<|endoftext|>',
        '<|im_start|>',
        '\u2028',
        '\ufeff',
        '\u0085',
        '\u0301',
        '\u200d',
        '漢',
        '。',
        '👩‍👩‍👧',
        '🇩🇪',
        'ﷺ',
      ],
    ),
    maxLength,
  })
const run = fc
  .tuple(
    fc.constantFrom('a', 'A', ' ', '\n', '!', '=', '/', '漢', '😀', '🇩🇪', '\u0301', "'s", 'ab'),
    fc.nat(400),
  )
  .map(([unit, times]) => unit.repeat(times))
const prose = fc
  .array(fc.lorem({ maxCount: 12 }), { maxLength: 60 })
  .map((sentences) =>
    sentences.map((words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`).join(' '),
  )
const anyText = fc.oneof(
  any(40),
  edges(60),
  prose,
  run,
  fc.tuple(edges(20), run, prose).map((texts) => texts.join('')),
)
const shortText = fc.oneof(any(12), edges(12), fc.lorem({ maxCount: 4 }))
const label = fc.oneof(fc.constantFrom('AC-001', 'AC-002', 'zeta', ''), any(20), edges(12))
/** Hundreds of them are short. */
const listOf = <T>(one: (text: fc.Arbitrary<string>) => fc.Arbitrary<T>) =>
  fc.oneof(fc.array(one(anyText), { maxLength: 8 }), fc.array(one(shortText), { maxLength: 300 }))
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const turn = fc.integer({ min: 1, max: 9 })

const prior = fc.record({
  turnNumber: turn,
  playerSummary: anyText,
  playerDecision: fc.constantFrom('implemented', 'failed', 'blocked'),
  gates: fc.dictionary(label, fc.constantFrom('passed', 'failed'), { maxKeys: 4 }),
  coachDecision: fc.constantFrom('approved', 'feedback', 'unknown'),
  coachFeedback: orNull(anyText),
  blockersFound: listOf((text) => text),
  lessonsFromTurn: listOf((text) => text),
  whatToTryNext: orNull(anyText),
}) as fc.Arbitrary<Partial<PriorTurn>> as fc.Arbitrary<PriorTurn>

const criterion = (text: fc.Arbitrary<string>): fc.Arbitrary<ShownCriterion> =>
  fc.record({
    criterionId: label,
    key: fc.constantFrom('k1', 'k2', 'k3'),
    text: orNull(text),
    aliases: fc.constant([]),
    state: fc.constantFrom('verified', 'rejected', 'pending'),
    verifiedInTurn: turn,
    lastTurn: turn,
    basis: fc.constantFrom(null, ...BASES),
    refuted: fc.boolean(),
    contested: orNull(fc.record({ turn, reason: orNull(text) })),
    history: fc.array(
      fc.record({
        turn,
        status: fc.constantFrom('verified', 'rejected'),
        source: fc.constant('coach' as const),
        evidence: orNull(text),
      }),
      { maxLength: 2 },
    ),
    promise: fc.constant(null),
  })

const SEVERITIES = ['blocking', 'should_fix', 'advisory'] as const
const issue = (text: fc.Arbitrary<string>) =>
  fc.record({
    severity: fc.constantFrom(...SEVERITIES),
    description: fc.oneof(text, fc.constant('The same again')),
    suggestion: orNull(text),
  }) as fc.Arbitrary<Partial<Rendering['issues'][number]>> as fc.Arbitrary<Rendering['issues'][number]>

const promise = (text: fc.Arbitrary<string>) =>
  fc.record({
    criterionId: label,
    key: fc.constantFrom('k1', 'k9'),
    status: fc.constantFrom('complete', 'partial'),
    evidence: orNull(text),
  })

const anyRendering: fc.Arbitrary<Rendering> = fc.record({
  currentTurn: fc.integer({ min: 2, max: 12 }),
  prior,
  criteria: listOf(criterion),
  lastJudged: fc.constant(null),
  promisedNotJudged: fc.array(fc.record({ criterionId: label, text: orNull(shortText) }), { maxLength: 5 }),
  issues: listOf(issue).map((issues) =>
    issues.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
  ),
  triedBefore: fc.array(fc.record({ turnNumber: turn, text: shortText.map(toOneLine) }), { maxLength: 5 }),
  role: fc.constantFrom('player', 'coach'),
  olderTurnsRecorded: fc.boolean(),
  verifiedInPrior: fc.subarray(['k1', 'k2', 'k3']).map((keys) => new Set(keys)),
  recovered: orNull(fc.record({ fromTurn: turn, items: listOf(promise) })),
  stallWarning: orNull(anyText),
  withdrawn: fc.array(
    fc.record({
      fromTurn: turn,
      toTurn: turn,
      reason: orNull(anyText),
      withdrawnAt: fc.constant('2026-01-02T00:00:00.000Z'),
    }),
    { maxLength: 3 },
  ),
})

const SECTIONS_ELSEWHERE = ['earlier_session', 'known']
const isElsewhere = (section: string): boolean => SECTIONS_ELSEWHERE.includes(section)

const earlierSession = fc.record({
  worldSlug: label,
  turns: turn,
  lastTurn: turn,
  lastDecision: fc.constantFrom('feedback', 'error'),
  verified: turn,
  total: turn,
  criteriaLeft: fc.array(fc.record({ criterionId: label, text: orNull(anyText) }), { maxLength: 9 }),
  openIssues: fc.array(fc.record({ turn, category: orNull(shortText), description: anyText }), {
    maxLength: 9,
  }),
  verdict: fc.constantFrom('stalled', 'insufficient_data'),
}) as fc.Arbitrary<NonNullable<Elsewhere['earlierSession']>>

const knownElsewhere = fc.record({
  featureId: label,
  taskId: label,
  worldSlug: label,
  turn,
  issues: fc.array(anyText, { maxLength: 3 }),
  summary: orNull(anyText),
  lessons: fc.array(anyText, { maxLength: 5 }),
  blockers: fc.array(shortText, { maxLength: 5 }),
})

const anyElsewhere: fc.Arbitrary<Elsewhere> = fc.record({
  earlierSession: orNull(earlierSession),
  known: fc.array(knownElsewhere, { maxLength: 5 }),
})

/** Any budget, mostly one that does not fit the whole text. */
const anyBudget = fc.oneof(
  fc.integer({ min: 100, max: 100_000 }),
  fc.integer({ min: 100, max: 2_000 }),
  fc.double({ min: 0, max: 1.1, noNaN: true }),
)
const budgetFor = (wanted: number, full: Rendered): number =>
  wanted >= 100 ? wanted : Math.max(100, Math.floor(wanted * full.tokens.used))

const EVERYTHING = 10_000_000

async function forAny(
  property: (given: Rendering, result: Rendered, full: Rendered) => void | Promise<void>,
  numRuns = cases(40),
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyRendering, anyBudget, async (given, wanted) => {
      const full = await renderContext(given, EVERYTHING)
      await property(given, await renderContext(given, budgetFor(wanted, full)), full)
    }),
    { numRuns },
  )
}

const itemsOf = (entries: Rendered['omitted'] | Rendered['included']): Map<string, number> =>
  new Map(entries.map(({ section, items }) => [section, items]))
const isOver = ({ omitted }: Rendered): boolean => omitted.some(({ reason }) => reason === 'over_budget')

/** Groups issues by cause, with their number. A group shows the first blocking issue of all, or its most severe one. */
function countedIssues(issues: Rendering['issues']): (Rendering['issues'][number] & { times: number })[] {
  const first = issues.find(({ severity }) => severity === 'blocking')
  return groupByCause(issues).map((group) => {
    const order = ['blocking', 'should_fix', 'advisory']
    const severest = group.toSorted((x, y) => order.indexOf(x.severity) - order.indexOf(y.severity))[0]
    const shown = first !== undefined && group.includes(first) ? first : (severest ?? group[0])
    return { ...shown, times: group.length }
  })
}

/** Counts promised criteria without a verdict, unless the list of criteria shows them already. */
const promisedShown = ({ criteria, promisedNotJudged }: Rendering): number => {
  const isAnyJudged = criteria.some(({ lastTurn }) => lastTurn !== null)
  const isSpecified = criteria.some(({ declared }) => declared !== undefined)
  return isAnyJudged && !isSpecified ? promisedNotJudged.length : 0
}

const hasProgress = (given: Rendering): boolean => given.olderTurnsRecorded || promisedShown(given) > 0
/** Lines below the heading on turns that were withdrawn, and on a gap between the newest known turn and the next one. */
function turnsWithoutRecord({ prior, currentTurn, withdrawn = [] }: Rendering): string[] {
  const name = (from: number, to: number) =>
    from === to ? `turn ${from} was` : `turns ${from} to ${to} were`
  const newest = Math.max(prior.turnNumber, ...withdrawn.map(({ toTurn }) => toTurn))
  return [
    ...withdrawn.map(({ fromTurn, toTurn, reason }) => {
      const because = toOneLine(reason ?? '')
      return `(${name(fromTurn, toTurn)} withdrawn${because === '' ? '' : `: ${because}`})`
    }),
    ...(newest < currentTurn - 1 ? [`(${name(newest + 1, currentTurn - 1)} not recorded)`] : []),
  ]
}

/** Words of the contract for the basis of a proof. A judge's own words need none. */
const BASIS_NOTES: Readonly<Record<string, string>> = {
  observed: ', observed',
  repeated: ", in the Player's words",
  misplaced: ", in the Player's words for another criterion",
  bare: ', without evidence',
}
/** Only the Coach reads how a criterion is known. */
const basisNote = ({ role }: Rendering, { basis }: ShownCriterion): string =>
  role === 'coach' ? (BASIS_NOTES[basis ?? ''] ?? '') : ''

/** Verified criteria that only the Player has seen, for the Coach. */
const unseen = ({ role, criteria }: Rendering): ShownCriterion[] =>
  criteria.filter(
    ({ state, basis }) =>
      role === 'coach' && state === 'verified' && ['repeated', 'misplaced', 'bare'].includes(basis ?? ''),
  )

/** Returns the mandatory lines. Written from the contract, not from render.ts. */
function requiredLines(given: Rendering): string[] {
  const { prior, criteria, issues, verifiedInPrior } = given
  const icons = { verified: '✓', rejected: '✗', pending: '○' }
  return [
    [`## Previous Turn Summary (Turn ${prior.turnNumber})`, ...turnsWithoutRecord(given), ''].join('\n'),
    `**Coach decision**: ${prior.coachDecision}`,
    ...criteria.flatMap((criterion) => {
      const { criterionId, key, state, verifiedInTurn, contested } = criterion
      const icon = state === 'verified' && contested !== null ? '⚠' : icons[state]
      const turns = contested === null ? '' : `, contested in turn ${contested.turn}`
      const note = basisNote(given, criterion)
      const said = state !== 'verified' || (verifiedInPrior.has(key) && contested === null && note === '')
      // The Coach's text has the reason of a contest between this and the closing bracket, as far as there is room.
      const status = `: ${state}${said ? '' : ` (turn ${verifiedInTurn}${note}${turns}`}`
      const end = said ? [] : [')']
      return criterionId === ''
        ? [`  ${icon} `, status, ...end]
        : [`  ${icon} ${toOneLine(criterionId)}${status}`, ...end]
    }),
    ...countedIssues(issues)
      .filter(({ severity }) => severity === 'blocking')
      .flatMap(({ description, times }) => [
        `  - [blocking] ${toBlock(description).split('\n')[0]}`,
        ...(times === 1 ? [] : [` ×${times}`]),
      ]),
    ...(hasProgress(given) ? ['\n\n**Progress**: '] : []),
    ...(unseen(given).length > 0
      ? [
          `\n\n**Seen by nobody yet**: ${unseen(given)
            .map(({ criterionId }) => toOneLine(criterionId))
            .join(', ')}`,
        ]
      : []),
  ]
}

describe('the text of a context', () => {
  test('never exceeds the budget without reporting it, and `used` equals an independent count', () =>
    forAny((_given, result) => {
      expect(result.tokens.used).toBe(tokensOf(result.text))
      expect(result.tokens.used > result.tokens.budget).toBe(isOver(result))
    }))

  test('contains all mandatory parts, in order', () =>
    forAny((given, { text }) => {
      let at = 0
      for (const line of requiredLines(given)) {
        const found = text.indexOf(line, at)
        expect(found, line).toBeGreaterThanOrEqual(at)
        at = found + line.length
      }
    }))

  test('every item is either included or omitted, and no item is omitted if all fit', () =>
    forAny((_given, result, full) => {
      const [included, omitted] = [itemsOf(result.included), itemsOf(result.omitted)]
      for (const [section, items] of itemsOf(full.included))
        expect((included.get(section) ?? 0) + (omitted.get(section) ?? 0), section).toBe(items)
      expect(full.omitted).toEqual([])
      if (full.tokens.used <= result.tokens.budget) expect(result).toEqual({ ...full, tokens: result.tokens })
      else expect(result.omitted).not.toEqual([])
    }))

  test('its joined sections are the text, and everything that a section left out is in the full text', () =>
    forAny(async (given, result, full) => {
      const asked = await renderContext(given, result.tokens.budget, { withSections: true })
      const { sections = [], ...rest } = asked
      expect(rest).toEqual(result)
      const texts = sections.map(({ text }) => text).filter((text) => text !== '')
      expect(texts.join('\n\n')).toBe(result.text)
      for (const { text, tokens } of sections) expect(tokens).toBe(tokensOf(text))
      const omitted = sections.flatMap((section) => section.omitted)
      for (const { text, tokens } of omitted) {
        expect(full.text).toContain(text)
        expect(tokens).toBe(tokensOf(text))
      }
      const leavesAny = result.omitted.some(({ reason }) => reason === 'token_budget')
      expect(omitted.length > 0).toBe(leavesAny)
    }))

  test('a kind is dropped only after all kinds before it', () =>
    forAny((_given, { included, omitted }) => {
      const order = ['evidence', 'tried_before', 'lessons', 'criterion_texts', 'promises', 'texts']
      const last = order.findLastIndex((section) => itemsOf(omitted).has(section))
      for (const section of order.slice(0, Math.max(0, last))) {
        if (section !== 'texts') expect(itemsOf(included).has(section), section).toBe(false)
      }
    }))

  test('ends with a note on the omitted items with correct counts, and without a note if no item was left out', () =>
    forAny((given, result) => {
      const [, note] = /\n\n\(left out for length: ([^\n]*)\)$/.exec(result.text) ?? []
      const omitted = itemsOf(result.omitted)
      omitted.delete('required')
      expect(note !== undefined).toBe(omitted.size > 0)
      const said = new Map(
        note?.split(', ').map((item) => {
          const [, items, noun = ''] = /^(\d+) (.*)$/.exec(item) ?? []
          return [noun.replace('pieces', 'piece').replace(/s$/, ''), Number(items)]
        }),
      )
      const nouns = {
        issues: 'issue',
        lessons: 'lesson',
        promises: 'promise',
        evidence: 'piece of evidence',
        tried_before: 'earlier turn',
      }
      for (const [section, noun] of Object.entries(nouns).concat([['criterion_texts', 'criterion text']]))
        expect(said.get(noun) ?? 0, noun).toBe(omitted.get(section) ?? 0)
      if (hasProgress(given)) expect(result.text).toContain('\n\n**Progress**: ')
    }))

  test('the sections of other sessions are dropped first, and the remaining text is the one without them', () =>
    fc.assert(
      fc.asyncProperty(anyRendering, anyElsewhere, anyBudget, async (given, elsewhere, wanted) => {
        const all = { ...given, elsewhere }
        const full = await renderContext(all, EVERYTHING)
        const budget = budgetFor(wanted, full)
        const result = await renderContext(all, budget)
        const without = await renderContext(given, budget)
        const [included, omitted] = [itemsOf(result.included), itemsOf(result.omitted)]
        const shown = SECTIONS_ELSEWHERE.some((section) => included.has(section))
        if (shown) {
          expect([...omitted.keys()].every((section) => isElsewhere(section))).toBe(true)
          expect(result.text.startsWith(without.text)).toBe(true)
        }
        // The note on omitted items has its own length.
        if (isOver(without)) expect(isOver(result)).toBe(true)
      }),
      { numRuns: cases(40) },
    ))

  test('is the same each time', () =>
    forAny(async (given, result) => {
      expect(await renderContext(structuredClone(given), result.tokens.budget)).toEqual(result)
    }, cases(6)))

  test('is cut only between graphemes', () =>
    fc.assert(
      fc.asyncProperty(
        anyRendering,
        fc.array(anyText, { minLength: 1, maxLength: 9 }),
        async (given, texts) => {
          const raw = texts.join('')
          const playerSummary = toBlock(raw)
          const prior = { ...given.prior, playerSummary: raw, playerDecision: 'implemented' as const }
          const { text } = await renderContext({ ...given, criteria: [], issues: [], prior }, 150)
          const [, shown = ''] = /\n\*\*What was attempted\*\*: (.*)\n\*\*Coach decision/su.exec(text) ?? []
          if (shown === '' || shown === playerSummary) return
          const kept = shown.slice(0, -' […]'.length)
          expect(`${kept} […]`).toBe(shown)
          expect(playerSummary.startsWith(kept)).toBe(true)
          const after = new Intl.Segmenter('en').segment(playerSummary).containing(kept.length)
          expect(after?.index).toBe(kept.length)
        },
      ),
      { numRuns: cases(20) },
    ))
})

test('tokens are counted as by gpt-tokenizer, in any text', async () => {
  const tokens = await loadTokens()
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 5 }), (texts) => {
      const text = texts.join('')
      expect(tokens.count(text)).toBe(tokensOf(text))
    }),
    { numRuns: cases(60) },
  )
})
