import fc from 'fast-check'
import { name } from '../../src/core/fields.ts'
import type { TurnToSend } from '../support/records.ts'

/** Any text that can be stored: all code points except NUL. */
const anyText = (maxLength = 40) =>
  fc
    .oneof(fc.string({ maxLength }), fc.string({ unit: 'binary', maxLength }))
    .map((text) => text.replaceAll('\0', ''))

/** Names that a careless key would confuse, and any other valid names. */
export const anyName = fc.oneof(
  fc.constantFrom(
    'guardkit',
    'guardkit_factory',
    'a',
    'a/b',
    'b',
    '..',
    '.',
    '%',
    '%2F',
    'a%2Fb',
    ' ',
    '/',
    '//',
    '~1',
  ),
  fc.constantFrom('\u{1f600}', 'é', 'e\u0301', 'A', '1', '\\', "'", '`', '$name', '{key}'),
  fc.string({
    unit: fc.constantFrom('a', 'b', '/', '%', '2', 'F', '.', '~', ' ', '\u{1f600}'),
    minLength: 1,
    maxLength: 6,
  }),
  anyText(20).filter((text) => name.safeParse(text).success),
)

const visibleName = anyName.filter((text) => text.trim() !== '')
const label = fc.oneof(
  fc.constantFrom('AC-1', 'AC-001', 'AC-2', 'AC-LOAD-01', 'criterion_1', '7'),
  visibleName,
)
const wording = fc.oneof(
  fc.constantFrom(
    'It answers with 404',
    '- [ ] It answers with 404 for an unknown page.',
    'It answers with 404 to a guest',
    'Every request is logged',
    '',
    '**',
  ),
  anyText(),
)
/** Keys of maps. `__proto__` is rejected, because JavaScript does not keep it. */
const mapKey = (key: fc.Arbitrary<string>) => key.filter((name) => name !== '__proto__')
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const instant = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

const verification = fc.record(
  {
    criterionId: label,
    criterionText: orNull(wording),
    status: fc.constantFrom('verified', 'rejected', 'pending', 'unknown', 'passed', 'failed'),
    source: fc.constantFrom('coach' as const, 'validator' as const, 'gate' as const, 'player' as const),
    evidence: orNull(anyText()),
  },
  { requiredKeys: ['criterionId', 'status'] },
)
const promise = fc.record(
  {
    criterionId: label,
    criterionText: orNull(wording),
    status: fc.constantFrom('complete', 'partial', 'incomplete', 'uncertain'),
    evidence: orNull(anyText()),
    confidence: orNull(fc.double({ min: 0, max: 1, noNaN: true })),
    implementationFiles: fc.array(anyText(), { maxLength: 3 }),
  },
  { requiredKeys: ['criterionId', 'status'] },
)
const issue = fc.record(
  {
    severity: fc.constantFrom('blocking', 'should_fix', 'advisory', 'must_fix', 'nit'),
    description: anyText().filter((text) => /\S/.test(text)),
    category: orNull(label),
    criterionIds: fc.array(label, { maxLength: 3 }),
    details: fc.jsonValue({ maxDepth: 2 }).map(withoutHoles),
  },
  { requiredKeys: ['severity', 'description'] },
)

const tokens = orNull(fc.integer({ min: 0, max: 1_000_000_000_000 }))
const tokensOfAgent = fc.record(
  { inputTokens: tokens, outputTokens: tokens, cacheReadTokens: tokens, cacheCreationTokens: tokens },
  { requiredKeys: [] },
)

/** Removes values that cannot be stored: NUL, lone surrogates, negative zero, and integers beyond the safe range. */
function withoutHoles(value: unknown): never {
  const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()
  const walk = (held: unknown): unknown => {
    if (typeof held === 'string') return clean(held)
    if (typeof held === 'number')
      return Number.isInteger(held) && !Number.isSafeInteger(held) ? String(held) : held + 0
    if (Array.isArray(held)) return held.map(walk)
    if (held === null || typeof held !== 'object') return held
    return Object.fromEntries(Object.entries(held).map(([key, inner]) => [`k${clean(key)}`, walk(inner)]))
  }
  return walk(value) as never
}

/** Any valid content of a turn, without its place. */
export const anyContent: fc.Arbitrary<Omit<TurnToSend, 'featureId' | 'taskId' | 'turnNumber'>> = fc.record(
  {
    playerSummary: anyText(200),
    playerDecision: orNull(fc.constantFrom('implemented', 'failed', 'Done', 'unknown')),
    coachDecision: orNull(fc.constantFrom('approved', 'feedback', 'reject', 'unknown')),
    coachFeedback: orNull(anyText(100)),
    mode: orNull(fc.constantFrom('fresh_start' as const, 'continuing_work' as const)),
    blockersFound: fc.array(anyText(), { maxLength: 3 }),
    lessonsFromTurn: fc.array(anyText(), { maxLength: 3 }),
    filesModified: fc.array(anyText(), { maxLength: 3 }),
    progressSummary: anyText(),
    acceptanceCriteriaStatus: fc.dictionary(
      mapKey(label),
      fc.constantFrom('verified', 'rejected', 'pending'),
      {
        maxKeys: 3,
      },
    ),
    verifications: fc.array(verification, { maxLength: 5 }),
    promises: fc.array(promise, { maxLength: 4 }),
    issues: fc.array(issue, { maxLength: 3 }),
    gates: fc.dictionary(
      mapKey(visibleName),
      fc.constantFrom('passed' as const, 'failed' as const, 'unknown' as const),
      {
        maxKeys: 3,
      },
    ),
    testsPassed: orNull(fc.nat()),
    coverage: orNull(fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0)),
    startedAt: orNull(instant),
    completedAt: orNull(instant),
    durationSeconds: orNull(fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => value + 0)),
    whatToTryNext: orNull(anyText()),
    usage: orNull(
      fc.record({ player: orNull(tokensOfAgent), coach: orNull(tokensOfAgent) }, { requiredKeys: [] }),
    ),
    extra: fc.dictionary(mapKey(anyName), fc.jsonValue({ maxDepth: 2 }).map(withoutHoles), { maxKeys: 3 }),
  },
  { requiredKeys: ['playerSummary', 'completedAt'] },
)
