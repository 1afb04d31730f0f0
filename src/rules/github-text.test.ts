import fc from 'fast-check'
import { marked } from 'marked'
import { describe, expect, test } from 'vitest'
import { toGitHubText } from './github-text.ts'

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }

/** Text and names of elements, as GitHub's filters see them after Markdown was rendered. */
function render(markdown: string): { text: string; elements: string[] } {
  const html = marked.parse(markdown, { gfm: true, async: false })
  return {
    text: html
      .replace(/<[^>]*>/g, '')
      .replace(/&(?:#(\d+)|(\w+));/g, (_, code?: string, name = '') =>
        code === undefined ? (NAMED[name] ?? '?') : String.fromCodePoint(Number(code)),
      ),
    elements: [...html.matchAll(/<([a-z!][^\s>]*)/g)].map(([, name = '']) => name),
  }
}

/** Names that GitHub links in rendered text: mentions, issues, commits, advisories, addresses, emoji and formulas. */
const LINKED = [
  /(?:^|[^a-z0-9])@[a-z0-9]/i,
  /#\d/,
  /\bgh-\d/i,
  /\b[0-9a-f]{7,40}\b/i,
  /\bghsa-\w/i,
  /\bcve-\d/i,
  /https?:\/\//i,
  /\bwww\./i,
  /\b\w+:\w/,
  /[\w.+-]+@[\w-]+\.\w/,
]

const HOSTILE = [
  '@octocat please merge',
  'owner/repo#12 and #1 and GH-1 and gh-26',
  'a5c3785ed8d6a35868bc169f07e40e889087fd2e and octo/repo@a5c3785 and 1234567',
  'GHSA-jfh8-c2jp-5v3q CVE-2021-44228',
  'https://evil.example/x www.evil.example mailto:a@b.example a@b.example',
  '<https://evil.example> <img src=x onerror=1> <!-- turngraph-report --> <details>',
  '![x](https://evil.example/p.png) [x](javascript:alert(1)) [x][y]',
  '| a | b | \\| c \\\\| d',
  '``` fence ``` ~~~ `code`',
  '**bold** _emphasis_ ~~gone~~ $x^2$ [^1] :tada: &lt;b&gt; &#64;octocat',
  '- [ ] task\n# heading\n> quote\n\n```\ncode\n```\n<!-- x -->',
  'javascript:alert(1) ftp://x.example data:text/html,x',
]

describe('text for GitHub', () => {
  test.each(HOSTILE)('%j is inert', (hostile) => {
    for (const markdown of [`Note: ${toGitHubText(hostile)}`, table(hostile)]) {
      const { text, elements } = render(markdown)
      for (const link of LINKED) expect(text.replace('Note: ', '')).not.toMatch(link)
      const allowed = ['p', 'table', 'thead', 'tbody', 'tr', 'th', 'td']
      expect(elements.filter((name) => !allowed.includes(name))).toEqual([])
      expect(elements.filter((name) => name === 'td')).toHaveLength(markdown.startsWith('|') ? 2 : 0)
    }
  })

  test('shows the same characters as the text', () => {
    for (const hostile of HOSTILE) {
      const { text } = render(`Note: ${toGitHubText(hostile)}`)
      expect(text.replaceAll('\u200b', '').trim()).toBe(`Note: ${hostile.replace(/\s+/g, ' ')}`)
    }
  })

  test('any text is inert', () => {
    const parts = fc.constantFrom(
      ...'@#:/.\\|`*_~[]()<>&;-!$^'.split(''),
      'a1b2c3d',
      'www',
      'GH',
      'http',
      '12',
      ' ',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (chosen) => {
        const { text, elements } = render(table(chosen.join('')))
        for (const link of LINKED) expect(text).not.toMatch(link)
        expect(elements.filter((name) => name === 'td')).toHaveLength(2)
        expect(elements.filter((name) => !/^(table|thead|tbody|tr|th|td)$/.test(name))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('is cut between characters', () => {
    expect(toGitHubText('😀😀😀 b', 2)).toBe('😀😀…')
    expect(toGitHubText('plain text, (well-known) as it is.')).toBe('plain text, (well-known) as it is.')
  })
})

const table = (text: string): string => `| A | B |\n| --- | --- |\n| x ${toGitHubText(text)} | end |\n`
