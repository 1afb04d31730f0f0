/**
 * Fixed beginnings of tokens that the collections lack, or know in one length only: the beginning, the alphabet of what
 * follows it, and how much of that there is at least. Read from the documentation of each vendor.
 */
type Prefix = readonly [prefix: string, alphabet: string, length: number]

const HEX = 'a-f0-9'
/** Without `_`, which variables and functions of that beginning have: `napi_get_value_string_utf8`. */
const ALNUM = 'A-Za-z0-9'
const WORD = String.raw`\w-`
const BASE64 = String.raw`\w+/-`
const DOTTED = String.raw`\w.-`

const of = (alphabet: string, length: number, prefixes: string): readonly Prefix[] =>
  prefixes.split(' ').map((prefix) => [prefix, alphabet, length])

export const PREFIXES: readonly Prefix[] = [
  // Code hosts, registries, builds
  ...of(ALNUM, 30, 'ghp_ gho_ ghu_ ghr_ npm_ rubygems_ sqp_ squ_ sqa_ bkua_ cio oy2 ATBB'),
  ...of(
    WORD,
    16,
    'github_pat_ glpat- gldt- glrt- glcbt- glptt- gloas- glsoat- glft- glffct- glimt- glagent- glwt-',
  ),
  ...of(
    WORD,
    16,
    'GR1348941 dckr_pat_ dckr_oat_ CCIPAT_ CCIPRJ_ CFPAT- PMAK- figd_ figu_ figo_ ntn_ tfp_ rdme_',
  ),
  ...of(WORD, 30, 'ATCTT3 ATSTT3 pypi- sgp_ lin_api_ lin_oauth_ pnu_ pnb_ dbtc_ dbtu_'),
  ...of(String.raw`\w=-`, 30, 'ATATT3'),
  ...of(DOTTED, 20, 'snyk_uat. snyk_sat.'),
  ...of(HEX, 32, 'ATTA fc-'),
  // Models
  ...of(ALNUM, 30, 'gsk_ xai- pplx- r8_ hf_ api_org_ csk- sess- fw_'),
  ...of(
    WORD,
    20,
    'nvapi- lsv2_ ls__ pcsk_ tvly- jina_ tgp_v1_ e2b_ sk-lf- sk-or- voyage- wandb_v1_ bb_live_',
  ),
  ...of(BASE64, 20, 'ABSK bedrock-api-key-'),
  // Clouds and databases
  ...of(HEX, 30, 'dapi dkea sbp_ pul- dop_v1_ doo_v1_ dor_v1_'),
  ...of(ALNUM, 20, 'napi_ nfp_ nfc_ nfo_ nfu_ nfb_ vcp_ vci_ vca_ vcr_ vck_ rnd_ ucat_ ddp_ ddo_ LTAI ico-'),
  ...of(
    WORD,
    20,
    'ya29. 1//0 GOCSPX- tskey- HRKU- sb_secret_ CCDB1_ xau_ mdb_sa_sk_ hvs. hvb. hvr. s-s4t2ud- s-s4t2af-',
  ),
  ...of(WORD, 16, 'AVNS_ AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1'),
  ...of(WORD, 30, 'y0_ y3_ AQVN'),
  ...of(
    DOTTED,
    20,
    'pscale_tkn_ pscale_pw_ pscale_oauth_ dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. vk1.a.',
  ),
  ...of(BASE64, 20, 'fm2_ fm1r_ fm1a_ fo1_'),
  // Watching, mail, money, messages
  ...of(BASE64, 20, 'glc_ glsa_ sntrys_ sntryu_'),
  ...of(DOTTED, 20, 'dt0c01. dt0s01. dt0s16. mlsn.'),
  ...of(
    WORD,
    16,
    'NRAK- NRII- NRJS- NRRA- NRSP- hcaik_ hcbik_ phx_ phs_ xkeysib- xsmtpsib- FLWSECK_TEST- FLWSECK-',
  ),
  ...of(
    WORD,
    12,
    'sk_live_ sk_test_ rk_live_ rk_test_ whsec_ rzp_live_ rzp_test_ sq0atp- sq0csp- secret-live- secret-test-',
  ),
  ...of(
    WORD,
    30,
    'EAAA EAAC EAAM EAAG shpat_ shpca_ shppa_ shpss_ shpua_ shippo_live_ shippo_test_ duffel_live_ EZAK EZTK',
  ),
  ...of(
    WORD,
    30,
    'pat-na1- pat-eu1- access-sandbox- access-production- signkey-prod- signkey-test- waka_ polar_pat_',
  ),
  ...of(String.raw`\w$-`, 16, 'access_token$production$'),
  ...of(WORD, 16, 'tr_dev_ tr_prod_ sm_aat_ sm_pat_ sm_sat_ xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe-'),
]
