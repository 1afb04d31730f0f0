/**
 * Writes text from outside for GitHub Markdown, so that it stays text: no markup, HTML or table cell, and no mention or link of GitHub.
 * Pure; the time is linear in the length of the text.
 *
 * GitHub finds mentions, issues, commits and addresses in the rendered text, after escapes and character references are resolved. Only a
 * character within the name prevents them (https://docs.github.com/en/get-started/writing-on-github, "Autolinked references and URLs").
 */
import { toOneLine } from './foreign-text.ts'

/** Zero-width space, as a reference: it survives editors, and a reader of the source sees it. */
const BREAK = '&#8203;'

/** Characters with a meaning in Markdown or HTML, within a line that begins with text of Turngraph. */
const MARKUP = /[\\`*_~[\]<>&|$]/g

/** Maximum length of a part of a hash that GitHub does not take for a commit: it links those of 7 or more digits. */
const HASH_PART = /[0-9a-f]{6}(?=[0-9a-f])/gi

/** Ends of beginnings of names that GitHub links: users, issues, advisories, addresses and emoji. */
const LINK_START = /[@#]|:(?=\S)|\bwww(?=\.)|\b(?:GH|GHSA|CVE)-(?=\w)/gi

/** Maximum number of characters of a text without a limit of its own. */
const MAX_TEXT_CHARACTERS = 500

/**
 * Writes a text as one line of inert Markdown. The line must begin with other text: `1.` or `#` at its start is a list or a heading.
 *
 * @example
 * toGitHubText('see @ada in #12') // 'see @&#8203;ada in #&#8203;12'
 */
export function toGitHubText(text: string, maxCharacters = MAX_TEXT_CHARACTERS): string {
  const characters = [...toOneLine(text)]
  const isCut = characters.length > maxCharacters
  const shown = isCut ? `${characters.slice(0, maxCharacters).join('').trimEnd()}…` : characters.join('')
  return breakLinks(shown)
}

const toReference = (character: string): string => `&#${character.charCodeAt(0)};`

/** Escapes markup between the places that need a break, so that no reference is broken itself. */
function breakLinks(text: string): string {
  const places = new Set<number>()
  for (const pattern of [HASH_PART, LINK_START]) {
    for (const { 0: found, index } of text.matchAll(pattern)) places.add(index + found.length)
  }
  const bounds = [0, ...[...places].sort((a, b) => a - b), text.length]
  return bounds
    .slice(1)
    .map((end, i) => text.slice(bounds[i], end).replace(MARKUP, toReference))
    .join(BREAK)
}
