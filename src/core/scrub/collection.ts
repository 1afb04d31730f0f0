import { GITLEAKS_RULES } from './gitleaks-rules.ts'
import { PREFIXES } from './prefixes.ts'
import { isMixed, type Secret } from './secret.ts'

/**
 * Finds tokens by the rules of gitleaks and by the table of prefixes. One scan looks for the keywords of all rules; a
 * rule runs only where one of its own was found.
 */
export function* findByCollection(content: string): Generator<Secret> {
  const rules = new Set<Rule>()
  for (const { 1: keyword = '' } of content.toLowerCase().matchAll(KEYWORDS)) {
    for (const rule of BY_KEYWORD.get(keyword) ?? []) rules.add(rule)
  }
  for (const { kind, pattern, prefix } of rules) {
    for (const { indices, 1: token = '' } of content.matchAll(pattern)) {
      const range = indices?.[1]
      if (range === undefined || !isMixed(token.slice(prefix.length))) continue
      if (kind === 'clickhouse-cloud-api-secret-key' && HASH.test(token)) continue
      yield { kind, start: range[0], end: range[1] }
    }
  }
}

/** Four digits are all that begins a key of ClickHouse. */
const HASH = /^[a-f0-9]+$/

type Rule = Readonly<{ kind: string; keywords: readonly string[]; pattern: RegExp; prefix: string }>

/** A token that is longer than its rule says is masked to its end. */
const LONGER = String.raw`[\w-]*=*)`

const RULES: readonly Rule[] = [
  ...GITLEAKS_RULES.map(([kind, keywords, source, named]) => ({
    kind,
    keywords,
    pattern: named ? new RegExp(source, 'dgi') : new RegExp(source.replace(/\)$/, LONGER), 'dg'),
    prefix: '',
  })),
  ...PREFIXES.map(([prefix, alphabet, length]) => ({
    kind: prefix.replace(/[^A-Za-z0-9]+$/, ''),
    keywords: [prefix.toLowerCase()],
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(${prefix.replace(/[.$+/-]/g, '\\$&')}[${alphabet}]{${length},}${LONGER}`,
      'dg',
    ),
    prefix,
  })),
]

/** A keyword that was found stands for those that are within it, which the scan passes over. */
const BY_KEYWORD = new Map<string, Rule[]>()
for (const keyword of RULES.flatMap(({ keywords }) => keywords)) {
  BY_KEYWORD.set(
    keyword,
    RULES.filter(({ keywords }) => keywords.some((word) => keyword.startsWith(word))),
  )
}

/** The longest first. Looks ahead, so that a keyword which begins within another one is found as well. */
const KEYWORDS = new RegExp(
  `(?=(${[...BY_KEYWORD.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((keyword) => keyword.replace(/[.$+/|<=]/g, '\\$&'))
    .join('|')}))`,
  'g',
)
