// Compiles the rules of gitleaks (tools/gitleaks, MIT) to src/core/scrub/gitleaks-rules.ts.
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { writeGenerated } from './write-generated.ts'

type Rule = { id: string; regex?: string; entropy?: number; keywords?: string[] }

/** Rules that are not compiled: an id, or the end of an id. */
const LEFT_OUT = new RegExp(
  [
    // src/core/scrub has a separate grammar for these. Several of them are quadratic in a backtracking
    // engine.
    'generic-api-key|hashicorp-tf-password|curl-auth-header|curl-auth-user|nuget-config-password',
    'kubernetes-secret-yaml|freemius-secret-key|sidekiq-sensitive-url|private-key|jwt|jwt-base64',
    // A public identifier is not a secret.
    '.*-(?:client-id|access-id|api-id|public-key|pub-key)',
    // Matches every commit id of a text that contains "sourcegraph"; secretlint and the prefix table have
    // `sgp_`.
    'sourcegraph-access-token',
    // Two rules in one; the prefix table has both of their tokens.
    'atlassian-api-token',
    // A word after `s.` is a property of an object; `hvs.` is in the prefix table.
    'vault-service-token',
  ]
    .map((ids) => `^(?:${ids})$`)
    .join('|'),
)

/**
 * Terminators that gitleaks requires after a token. Without one, a token before a comma or a bracket is
 * found, too.
 */
const TERMINATORS = [
  String.raw`(?:[\x60'"\s;]|\\[nr]|$)`,
  String.raw`(?:$|[\\'"\x60\s<),])`,
  String.raw`(?:[^\w-]|\z)`,
  String.raw`(?:[^a-zA-Z0-9+/]|\z)`,
]

/** `[\w.-]{0,50}?(?:vendor) … = … (token)`: a token that is recognized by the name of its vendor. */
const NAMED =
  /^(?:\(\?i\))?\[\\w\.-\]\{0,50\}\?(?:\(\?i:\[\\w\.-\]\{0,50\}\?)?(.+?)\(\?:\[ \\t\\w\.-\]\{0,20\}\).*?\\x60'"\\s=\]\{0,5\}(.+)$/

/** The text between the name of a vendor and a token: the rest of the name, and an assignment. */
const IS = String.raw`[ \t\w.-]{0,20}["'\\]{0,3}\s{0,3}(?:=>|:?=|:)[\`'"\\\s=]{0,6}`.replace('\\`', '`')

type Compiled = { id: string; keywords: string[]; source: string; named: boolean }

function compile({ id, regex = '', keywords = [] }: Rule): Compiled {
  let body = regex
  for (const terminator of TERMINATORS)
    if (body.endsWith(terminator)) body = body.slice(0, -terminator.length)
  const words = keywords.map((keyword) => keyword.toLowerCase())
  const [, vendor, token] = NAMED.exec(body) ?? []
  if (vendor !== undefined && token !== undefined) {
    // The whole pattern runs without regard to case.
    const source = `${toJavaScript(vendor)}${IS}${toJavaScript(token)}(?![A-Za-z0-9])`
    return { id, keywords: words, source, named: true }
  }
  body = body
    .replace(/^(\(\?i\))?\\b/, '$1')
    .replace(/\\b$/, '')
    .replace(/^\(\?:\^\|\[.*?\]\)/, '')
  return { id, keywords: words, source: `(?<![A-Za-z0-9])${toJavaScript(body)}`, named: false }
}

/**
 * Translates a pattern of Go's RE2 to JavaScript without inline flags: parts that ignore case list both
 * cases.
 */
function toJavaScript(pattern: string): string {
  const outer: boolean[] = []
  let ignore = false
  let written = ''
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at)
    const flag = /^\(\?(-?)i\)/.exec(rest)
    const group = /^\((?:\?(?:(-?)i:|P<\w+>|s:|:))?/.exec(rest)
    const charClass = /^\[\^?(?:\\.|[^\]\\])+\]/.exec(rest)
    const escaped = /^\\(?:x[\dA-Fa-f]{2}|.)/.exec(rest)
    if (flag !== null) {
      ignore = flag[1] === ''
      at += flag[0].length
    } else if (group !== null) {
      outer.push(ignore)
      if (group[1] !== undefined) ignore = group[1] === ''
      written += group[0] === '(' ? '(' : '(?:'
      at += group[0].length
    } else if (rest.startsWith(')')) {
      ignore = outer.pop() ?? false
      written += ')'
      at++
    } else if (charClass !== null) {
      written += ignore ? withBothCases(charClass[0]) : charClass[0]
      at += charClass[0].length
    } else if (escaped !== null) {
      written += escaped[0] === '\\z' ? '$' : escaped[0]
      at += escaped[0].length
    } else {
      const [character = ''] = rest
      written += ignore && /[A-Za-z]/.test(character) ? bothCases(character) : character
      at++
    }
  }
  return written
}

const bothCases = (letter: string): string => `[${letter.toUpperCase()}${letter.toLowerCase()}]`

const withBothCases = (charClass: string): string =>
  charClass.replace(/\\(?:x[\dA-Fa-f]{2}|.)|[A-Za-z]-[A-Za-z]|[A-Za-z]/g, (part) =>
    part.startsWith('\\') || part.toUpperCase() === part.toLowerCase()
      ? part
      : part.toUpperCase() + part.toLowerCase(),
  )

/** Rewrites a pattern so that the secret is group 1 and there is no other group. */
function withOneGroup(source: string): string {
  let seen = 0
  const single = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)/g, (part) =>
    part !== '(' ? part : seen++ === 0 ? '(' : '(?:',
  )
  return seen === 0 ? single.replace(/^(\(\?<!.*?\))?(.*)$/, '$1($2)') : single
}

function generated(): string {
  const { rules } = parse(readGitleaks('gitleaks.toml')) as unknown as {
    rules: Rule[]
  }
  const compiled = rules.filter(({ id, regex }) => regex !== undefined && !LEFT_OUT.test(id)).map(compile)
  const row = ({ id, keywords, source, named }: Compiled): string => {
    new RegExp(source) // fails here if a form of Go was not translated
    return `  [${quoted(id)}, [${keywords.map(quoted).join(', ')}], ${quoted(withOneGroup(source))}, ${named}],`
  }
  return [
    '/*!',
    ' * Generated by scripts/secret-rules.ts from the rules of gitleaks 8.28.0 (https://github.com/gitleaks/gitleaks):',
    ...readGitleaks('LICENSE')
      .trimEnd()
      .split('\n')
      .map((line) => ` * ${line}`.trimEnd()),
    ' */',
    '',
    '/** `named`: the name of the vendor makes the token known, not the token itself. */',
    'export const GITLEAKS_RULES: readonly (readonly [id: string, keywords: readonly string[], source: string, named: boolean])[] = [',
    ...compiled.map(row),
    ']',
    '',
  ].join('\n')
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
const readGitleaks = (name: string): string =>
  readFileSync(new URL(`../tools/gitleaks/${name}`, import.meta.url), 'utf8')

writeGenerated({ 'src/core/scrub/gitleaks-rules.ts': generated() })
