import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { InlineText, splitInline } from './inline-text.tsx'

const kinds = (text: string) => splitInline(text).map((part) => `${part.kind}: ${part.text}`)

test('inline code and emphasis become parts, and names with underscores or lone signs stay text', () => {
  expect(kinds('Run `npm test` **twice**, *then* _stop_')).toEqual([
    'text: Run ',
    'code: npm test',
    'text:  ',
    'strong: twice',
    'text: , ',
    'em: then',
    'text:  ',
    'em: stop',
  ])
  for (const plain of ['a_name_of_parts', '2 * 3 * 4', 'a `lone tick', '<b>x</b> [y](javascript:z)'])
    expect(kinds(plain)).toEqual([`text: ${plain}`])
})

test('code contains no emphasis, and all words of the text are kept', () => {
  expect(kinds('`**x**`')).toEqual(['code: **x**'])
  expect(kinds('')).toEqual([])
})

test('emphasis may contain code', () => {
  expect(renderToString(h(InlineText, { text: 'Call **`open()`, not `start()`** first' }))).toBe(
    'Call <strong><code>open()</code>, not <code>start()</code></strong> first',
  )
})
