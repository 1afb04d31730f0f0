// Finds tokens by their beginning: the rules of gitleaks, and prefixes that gitleaks lacks.
import { GITLEAKS_RULES } from './gitleaks-rules.ts'
import { isMixed, type Secret } from './secret.ts'

/**
 * A fixed beginning of tokens that the collections lack or know in one length only, the alphabet of the
 * characters after it, and their minimum number. Source: the documentation of each vendor.
 */
type Prefix = readonly [prefix: string, alphabet: string, length: number]

const HEX = 'a-f0-9'
/** Has no `_`, because names of functions may begin like a token: `napi_get_value_string_utf8`. */
const ALNUM = 'A-Za-z0-9'
const WORD = String.raw`\w-`
const BASE64 = String.raw`\w+/-`
const DOTTED = String.raw`\w.-`

const of = (alphabet: string, length: number, prefixes: string): readonly Prefix[] =>
  prefixes.split(/\s+/).map((prefix) => [prefix, alphabet, length])

const PREFIXES: readonly Prefix[] = [
  ...of(
    ALNUM,
    30,
    `ghp_ gho_ ghu_ ghr_ npm_ rubygems_ sqp_ squ_ sqa_ bkua_ cio oy2 ATBB gsk_ xai- pplx- r8_ hf_
    api_org_ csk- sess- fw_`,
  ),
  ...of(
    WORD,
    16,
    `github_pat_ glpat- gldt- glrt- glcbt- glptt- gloas- glsoat- glft- glffct- glimt- glagent- glwt-
    GR1348941 dckr_pat_ dckr_oat_ CCIPAT_ CCIPRJ_ CFPAT- PMAK- figd_ figu_ figo_ ntn_ tfp_ rdme_ AVNS_
    AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 NRAK- NRII- NRJS- NRRA- NRSP- hcaik_ hcbik_ phx_ phs_ xkeysib-
    xsmtpsib- FLWSECK_TEST- FLWSECK- tr_dev_ tr_prod_ sm_aat_ sm_pat_ sm_sat_ xoxb- xoxp- xoxa- xoxr-
    xoxs- xoxo- xoxe-`,
  ),
  ...of(
    WORD,
    30,
    `ATCTT3 ATSTT3 pypi- sgp_ lin_api_ lin_oauth_ pnu_ pnb_ dbtc_ dbtu_ y0_ y3_ AQVN EAAA EAAC EAAM EAAG
    shpat_ shpca_ shppa_ shpss_ shpua_ shippo_live_ shippo_test_ duffel_live_ EZAK EZTK pat-na1-
    pat-eu1- access-sandbox- access-production- signkey-prod- signkey-test- waka_ polar_pat_
    tgk_`,
  ),
  ...of(String.raw`\w=-`, 30, 'ATATT3'),
  ...of(
    DOTTED,
    20,
    `snyk_uat. snyk_sat. pscale_tkn_ pscale_pw_ pscale_oauth_ dp.pt. dp.st. dp.ct. dp.sa. dp.scim.
    dp.audit. vk1.a. dt0c01. dt0s01. dt0s16. mlsn.`,
  ),
  ...of(HEX, 32, 'ATTA fc-'),
  ...of(
    WORD,
    20,
    `nvapi- lsv2_ ls__ pcsk_ tvly- jina_ tgp_v1_ e2b_ sk-lf- sk-or- voyage- wandb_v1_ bb_live_ ya29. 1//0
    GOCSPX- tskey- HRKU- sb_secret_ CCDB1_ xau_ mdb_sa_sk_ hvs. hvb. hvr. s-s4t2ud- s-s4t2af-`,
  ),
  ...of(BASE64, 20, 'ABSK bedrock-api-key- fm2_ fm1r_ fm1a_ fo1_ glc_ glsa_ sntrys_ sntryu_'),
  ...of(HEX, 30, 'dapi dkea sbp_ pul- dop_v1_ doo_v1_ dor_v1_'),
  ...of(ALNUM, 20, 'napi_ nfp_ nfc_ nfo_ nfu_ nfb_ vcp_ vci_ vca_ vcr_ vck_ rnd_ ucat_ ddp_ ddo_ LTAI ico-'),
  ...of(
    WORD,
    12,
    `sk_live_ sk_test_ rk_live_ rk_test_ whsec_ rzp_live_ rzp_test_ sq0atp- sq0csp- secret-live-
    secret-test-`,
  ),
  ...of(String.raw`\w$-`, 16, 'access_token$production$'),
]

/** Finds tokens. A single scan searches for the keywords of all rules. A rule runs only if one of its keywords was found. */
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

/** A key of ClickHouse begins with only four digits, so the rule would match hashes too. */
const HASH = /^[a-f0-9]+$/

type Rule = Readonly<{ kind: string; keywords: readonly string[]; pattern: RegExp; prefix: string }>

/** Extends the match of a rule to the end of a longer token. */
const LONGER = String.raw`[\w-]*=*)`

export const RULES: readonly Rule[] = [
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

/** The rules by keyword. A keyword also selects the rules of its prefixes, which the scan does not report separately. */
const BY_KEYWORD = new Map<string, Rule[]>()
for (const keyword of RULES.flatMap(({ keywords }) => keywords)) {
  BY_KEYWORD.set(
    keyword,
    RULES.filter(({ keywords }) => keywords.some((word) => keyword.startsWith(word))),
  )
}

/** Matches the longest keyword first. The lookahead also finds a keyword that begins within another one. */
const KEYWORDS = new RegExp(
  `(?=(${[...BY_KEYWORD.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((keyword) => keyword.replace(/[.$+/|<=]/g, '\\$&'))
    .join('|')}))`,
  'g',
)
