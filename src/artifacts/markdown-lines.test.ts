import { describe, expect, test } from 'vitest'
import { type Heading, type ListItem, readBlocks, removeComments } from './markdown-lines.ts'

/** `## Goal` and `one(two)`: headings with their level, items with the items in them. */
const shown = (source: string): string[] =>
  readBlocks(source).flatMap((block) =>
    block.kind === 'heading' || block.kind === 'item' ? [showBlock(block)] : [],
  )

function showBlock(block: Heading | ListItem): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`
  const below = block.items.map(showBlock)
  return `${block.lines.join('/')}${below.length === 0 ? '' : `(${below.join(', ')})`}`
}

describe('headings and list items of Markdown', () => {
  test.each<[string, string, string[]]>([
    ['headings, closed or not', '# One\n ## Two ##\n### a#\n#no', ['# One', '## Two', '### a#']],
    ['headings without a space', '- a\n##Two\n###Three ###\n#######no', ['a', '## Two', '### Three']],
    ['underlined headings', 'One\n===\nTwo\n---\n\n---', ['# One', '## Two']],
    ['a fence of backticks or tildes', '```\n- no\n~~~\n```\n- one\n\n~~~ts\n# no\n~~~', ['one']],
    ['a fence that ends with its item', '- one\n  ```\n## Two\n- three', ['one/```', '## Two', 'three']],
    ['items in items, by their indentation', '- a\n  - b\n    - c\n  - d\n- e', ['a(b(c), d)', 'e']],
    ['a number further left than the text', '1. a\n  - b\n2. c', ['a', 'b', 'c']],
    ['a break between lists', '- a\n* * *\n- b', ['a', 'b']],
    ['a text behind an empty line', '- a\n\nb\n\n- c\n\n  d', ['a', 'c/d']],
    ['indented code', 'text\n\n    - no\n- a', ['a']],
    [
      'folded parts',
      '- a\n<details>\n<summary>b</summary>\n\n- c\n</details>\n2. d <details>',
      ['a', 'c', 'd <details>'],
    ],
    ['quoted lists', '> - no\n\n- a\n> - no', ['a']],
    ['a paragraph with a number or a mark in it', 'In\n2020. We\n-\n- a', ['## In\n2020. We', 'a']],
    ['lists in comments', '<!--\n- no\n# no\n-->\n- a <!--\n- no\n--> b\n- c', ['a <!--/- no/--> b', 'c']],
    ['a comment without an end', '- a <!-- b\n- c', ['a <!-- b', 'c']],
    ['a start of a comment in code', '- `<!--` a\n- b\n- `-->`', ['`<!--` a', 'b', '`-->`']],
    ['a start of a comment in a fence', '```\n<!--\n```\n# a\n-->\n- b', ['# a', 'b']],
    ['a start of a comment in indented code', 'a\n\n    <!--\n\n- b\n- c -->', ['b', 'c -->']],
    ['code of two lines', '- `` a `\n  <!-- `` b\n- c -->', ['`` a `/<!-- `` b', 'c -->']],
    ['a backtick that nothing closes', '- a ` <!--\n- no -->\n- ` b', ['a ` <!--/- no -->', '` b']],
    ['a backtick in a comment', '- a <!-- `\n- no --> `\n- b', ['a <!-- `/- no --> `', 'b']],
    [
      'two comments in one text',
      '- a <!--\n- no --> <!--\n- no -->\n- b',
      ['a <!--/- no --> <!--/- no -->', 'b'],
    ],
  ])('reads %s', (_, source, expected) => {
    expect(shown(source)).toEqual(expected)
    expect(shown(source.replaceAll('\n', '\r\n'))).toEqual(expected)
  })

  test.each([
    ['quotes in quotes', '> '.repeat(100_000)],
    ['marks that nothing closes', '__a'.repeat(100_000)],
    ['brackets that nothing closes', '- ![['.repeat(60_000)],
    ['comments that nothing closes', '- <!-- '.repeat(50_000)],
    ['comments that are closed at once', '<!-->-->'.repeat(40_000)],
    ['marks of items', '- '.repeat(150_000)],
    ['items in items', Array.from({ length: 750 }, (_, i) => `${'  '.repeat(i)}- a`).join('\n')],
    ['tabs', '\t'.repeat(300_000)],
    ['backticks', '`'.repeat(300_000)],
    ['backticks of many lengths', Array.from({ length: 770 }, (_, i) => '`'.repeat(i)).join(' <!-- ')],
    ['comments in and behind code', '- `<!--` <!-- `-->\n'.repeat(15_000)],
    ['fences', '```\n'.repeat(75_000)],
    ['closing marks of a heading', `# a${' #'.repeat(150_000)}`],
  ])('reads 300 KB of %s', (_, source) => {
    expect(() => readBlocks(source)).not.toThrow()
    expect(() => readBlocks(source.replaceAll(' ', '\n').slice(0, 150_000))).not.toThrow()
    expect(removeComments(source).length).toBeLessThanOrEqual(source.length)
  })
})

test('comments are removed from a text, except an unclosed one and those in code', () => {
  expect(removeComments('a <!-- b\nc --> d <!-- e --> <!-- f')).toBe('a  d  <!-- f')
  const code = 'a `<!-- b -->` c\n```\n<!-- d -->\n```\n~~~\n<!-- e -->\n~~~'
  expect(removeComments(`<!-- \` -->${code}`)).toBe(code)
})

test('each block has the number of its first line, and paragraphs and fences are blocks too', () => {
  const source = 'One\ntwo\n\n## Goal\n- a\n  more\n  - b\n\n```ts\n# no\n```\n| a | b |\nTwo\n==='
  const places = readBlocks(source).map(({ kind, line }) => `${kind} ${line}`)
  expect(places).toEqual(['paragraph 1', 'heading 4', 'item 5', 'fence 9', 'heading 12'])
  expect(readBlocks(source)[3]).toMatchObject({ lines: ['```ts', '# no', '```'] })
})
