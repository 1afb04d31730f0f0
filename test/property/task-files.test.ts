import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readMarkdown } from '../../src/artifacts/specifications/markdown.ts'
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
    ...nested.map((line) => `${indent}- ${line}`),
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

test('the criteria that are written into a task file are read back, in any form of Markdown', () => {
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 8 }), fc.nat(8), shape, (items, splitAt, of) => {
      const criterion = (id: number | null, ...texts: string[]) => ({
        ...(id !== null && { criterionId: of.idForm === 'AC3 -' ? `AC${id}` : `AC-${id}` }), // labels as given
        text: texts.join(' '),
      })
      const source = written(items, splitAt, of)
      expect(readMarkdown(source, { path: 'f.md' }).tasks[0]?.criteria).toEqual(
        items.map(({ id, text, more, nested }) => criterion(id, text, ...more, ...nested)),
      )
      expect(readMarkdown(source, { path: 'f.md', nested: true }).tasks[0]?.criteria).toEqual(
        items.flatMap(({ id, text, more, nested }) => [
          criterion(id, text, ...more),
          ...nested.map((each) => criterion(null, each)),
        ]),
      )
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
