import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readMarkdown } from '../../src/artifacts/specifications/markdown.ts'
import { declaredCriteria } from '../../src/memory/specification/specification.ts'
import { cases } from './cases.ts'

const words = fc
  .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 6 })
  .map((some) => some.join(' '))

const ID_FORMS: Record<string, (number: number) => string> = {
  'AC-3:': (number) => `AC-${number}:`,
  '**AC-3**': (number) => `**AC-${number}**`,
  '**AC-3:**': (number) => `**AC-${number}:**`,
  '**AC-3**:': (number) => `**AC-${number}**:`,
  '__AC-3__ —': (number) => `__AC-${number}__ —`,
  '`AC-3`': (number) => `\`AC-${number}\``,
  'AC3 -': (number) => `AC${number} -`,
}

const item = fc.record({
  text: words,
  id: fc.option(fc.integer({ min: 1, max: 9_999 })),
  more: fc.array(words, { maxLength: 2 }),
  nested: fc.array(words, { maxLength: 2 }),
})

const shape = fc.record({
  heading: fc.constantFrom('Acceptance Criteria', 'ACCEPTANCE CRITERIA', 'The acceptance  criteria:'),
  level: fc.integer({ min: 1, max: 5 }),
  marker: fc.constantFrom('-', '*', '+', '1.', '2)'),
  box: fc.constantFrom('', '[ ] ', '[x] ', '[X] '),
  idForm: fc.constantFrom(...Object.keys(ID_FORMS)),
  isLazy: fc.boolean(),
  between: fc.constantFrom('none', 'paragraph', 'heading'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
})

type Item = typeof item extends fc.Arbitrary<infer T> ? T : never
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

function written(items: readonly Item[], splitAt: number, of: Shape): string {
  const indent = ' '.repeat(of.marker.length + 1)
  const linesOf = ({ text, id, more, nested }: Item) => [
    `${of.marker} ${of.box}${id === null ? '' : `${ID_FORMS[of.idForm]?.(id)} `}${text}`,
    ...more.map((line) => (of.isLazy ? line : indent + line)),
    ...nested.map((line) => `${indent}- ${of.box}${line}`),
  ]
  const hashes = '#'.repeat(of.level)
  const between = {
    none: [],
    paragraph: ['', 'and these', ''],
    heading: ['', `#${hashes} of another kind`, ''],
  }
  return [
    '# A task',
    '- no criterion',
    '',
    `${hashes} ${of.heading}`,
    '',
    ...items.slice(0, splitAt).flatMap(linesOf),
    ...(between[of.between as keyof typeof between] ?? []),
    ...items.slice(splitAt).flatMap(linesOf),
    '',
    `${hashes} Notes`,
    '- none either',
  ].join(of.lineEnd)
}

type Entry = { id: number | null; text: string }

/**
 * The criteria of written entries (contract: doors.md, 3): a repeated text is read once, a repeated id belongs
 * to its first entry, and an entry without an id gets one if its default is the id of another entry.
 */
function expectedOf(entries: readonly Entry[], idForm: string): unknown[] {
  const once = entries.filter(({ text }, i) => entries.findIndex((other) => other.text === text) === i)
  const written = new Set(once.map(({ id }) => id))
  return once.map(({ id, text }, i) => {
    if (id !== null && once.findIndex((other) => other.id === id) === i)
      return { criterionId: idForm === 'AC3 -' ? `AC${id}` : `AC-${id}`, text } // labels as given
    return written.has(i + 1) ? { criterionId: expect.stringMatching(/^AC-\d{3}$/), text } : { text }
  })
}

test('the criteria that are written into a task file are read back, in any form of Markdown', () => {
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 8 }), fc.nat(8), shape, (items, splitAt, of) => {
      const entry = (id: number | null, ...texts: string[]): Entry => ({ id, text: texts.join(' ') })
      const source = written(items, splitAt, of)
      const joined = items.map(({ id, text, more, nested }) => entry(id, text, ...more, ...nested))
      const separate = items.flatMap(({ id, text, more, nested }) => [
        entry(id, text, ...more),
        ...nested.map((each) => entry(null, each)),
      ])
      for (const [nested, entries] of [
        [false, joined],
        [true, separate],
      ] as const) {
        const criteria = readMarkdown(source, { path: 'f.md', nested }).tasks[0]?.criteria
        expect(criteria).toEqual(expectedOf(entries, of.idForm))
        expect(declaredCriteria.safeParse(criteria).error).toBeUndefined()
      }
    }),
    { numRuns: cases(400) },
  )
})

test('a task file without a list of criteria is rejected, whatever other content it has', () => {
  const other = fc.oneof(
    words,
    words.map((text) => `## ${text}`),
    words.map((text) => `| ${text} |\n| --- |\n| ${text} |`),
    words.map((text) => `\`\`\`\n- ${text}\n\`\`\``),
  )
  fc.assert(
    fc.property(fc.array(other), fc.boolean(), (blocks, hasHeading) => {
      const source = [...(hasHeading ? ['# Acceptance criteria'] : ['- no criterion']), ...blocks].join(
        '\n\n',
      )
      expect(readMarkdown(source, { path: 'f.md' }).refused).toMatch(/^states no criteria/)
    }),
    { numRuns: cases(60) },
  )
})
