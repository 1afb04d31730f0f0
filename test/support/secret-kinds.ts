/**
 * Kinds of secrets as people write them, each generated from a seeded random: none was ever real. Every fixed
 * beginning is joined from parts at run time, so that a secret scanner does not stop this file.
 */
export type SecretKind = Readonly<{ name: string; make: (random: Random) => Planted }>

/** A text, and the part of it that must not survive. */
export type Planted = Readonly<{ text: string; secret: string }>

/** Draws `length` characters. */
export type Random = (length: number, alphabet?: string) => string

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
const UPPER = LOWER.toUpperCase()
const ALNUM = UPPER + LOWER + DIGITS
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const URL_SAFE = `${ALNUM}-_`
const BASE64 = `${ALNUM}+/`

/** Returns a random source with the same results for the same seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return (length, alphabet = ALNUM) =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join('')
}

/** Makes a password. Letters and digits are mixed, so that it is never a word. */
const password = (random: Random): string =>
  `${random(4, LOWER)}${random(2, DIGITS)}${random(3, UPPER)}${random(5)}`
const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((length) => random(length, HEX)).join('-')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const kind = (name: string, make: (random: Random) => Planted): SecretKind => ({ name, make })

/** A part of a token that is recognized by its form. Parts of the fixed beginning are joined by `+`. */
type Part = string | readonly [length: number, alphabet: string]

const tokenOf = (random: Random, parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : random(...part))).join('')

const token = (name: string, ...parts: Part[]): SecretKind =>
  kind(name, (random) => {
    const secret = tokenOf(random, parts)
    return { text: `The call used ${secret}, and failed`, secret }
  })

const TOKENS: readonly SecretKind[] = [
  token('Turngraph token', 'tg', 'k_', [43, URL_SAFE]),
  token('Docker personal token', 'dckr', '_pat_', [27, URL_SAFE]),
  token('Docker organization token', 'dckr', '_oat_', [27, URL_SAFE]),
  token('Atlassian token', 'ATA', 'TT3xFfGF0', [180, URL_SAFE], '=', [8, HEX.toUpperCase()]),
  token('Atlassian access token', 'ATC', 'TT3xFfGN0', [180, URL_SAFE]),
  token('Bitbucket app password', 'ATB', 'B', [32, ALNUM]),
  token('Trello token', 'ATT', 'A', [64, HEX]),
  token('Databricks token', 'da', 'pi', [32, HEX]),
  token('Google OAuth access token', 'ya', '29.', [120, URL_SAFE]),
  token('Google refresh token', '1/', '/0', [60, URL_SAFE]),
  token('Google API key', 'AI', 'za', [35, URL_SAFE]),
  token('Google client secret', 'GOC', 'SPX-', [28, URL_SAFE]),
  token('Groq key', 'gs', 'k_', [52, ALNUM]),
  token('xAI key', 'xa', 'i-', [80, ALNUM]),
  token('Perplexity key', 'pp', 'lx-', [48, ALNUM]),
  token('NVIDIA key', 'nva', 'pi-', [64, URL_SAFE]),
  token('Replicate token', 'r', '8_', [37, ALNUM]),
  token('LangSmith key', 'lsv', '2_pt_', [32, HEX], '_', [10, HEX]),
  token('LangSmith service key', 'lsv', '2_sk_', [32, HEX], '_', [10, HEX]),
  token('Grafana service account token', 'gl', 'sa_', [32, ALNUM], '_', [8, HEX]),
  token('Grafana Cloud token', 'gl', 'c_eyJ', [100, ALNUM]),
  token('Grafana API key', 'eyJ', 'rIjoi', [80, ALNUM], '=='),
  token(
    'Sentry organization token',
    'snt',
    'rys_eyJpYXQiO',
    [60, ALNUM],
    'LCJyZWdpb25fdXJs',
    [30, ALNUM],
    '_',
    [43, BASE64],
  ),
  token('Sentry user token', 'snt', 'ryu_', [64, HEX]),
  token('Figma token', 'fi', 'gd_', [40, URL_SAFE]),
  token('Tailscale key', 'ts', 'key-auth-', [17, ALNUM], '-', [32, ALNUM]),
  token('Tailscale API key', 'ts', 'key-api-', [17, ALNUM], '-', [32, ALNUM]),
  token('Doppler token', 'dp', '.pt.', [43, ALNUM]),
  token('Doppler service token', 'dp', '.st.prd.', [43, ALNUM]),
  token('Postman key', 'PM', 'AK-', [24, HEX], '-', [34, HEX]),
  token('New Relic user key', 'NR', 'AK-', [27, UPPER + DIGITS]),
  token('New Relic insert key', 'NR', 'II-', [32, URL_SAFE]),
  token('New Relic browser key', 'NR', 'JS-', [19, HEX]),
  token('RubyGems key', 'ruby', 'gems_', [48, HEX]),
  token('Supabase token', 'sb', 'p_', [40, HEX]),
  token('Supabase secret key', 'sb', '_secret_', [22, URL_SAFE], '_', [8, ALNUM]),
  token('PlanetScale token', 'psc', 'ale_tkn_', [43, URL_SAFE]),
  token('PlanetScale password', 'psc', 'ale_pw_', [43, URL_SAFE]),
  token('PlanetScale OAuth token', 'psc', 'ale_oauth_', [43, URL_SAFE]),
  token('Neon key', 'na', 'pi_', [64, LOWER + DIGITS]),
  token('Netlify token', 'nf', 'p_', [36, ALNUM]),
  token('Heroku key', 'HR', 'KU-AA', [58, URL_SAFE]),
  token('Heroku key of another length', 'HR', 'KU-AA', [30, URL_SAFE]),
  token('Adobe secret that is longer than its rule', 'p8', 'e-', [44, ALNUM]),
  token('Fly.io token', 'fm', '2_', [200, BASE64], '=='),
  token('Fly.io access token', 'fo', '1_', [43, URL_SAFE]),
  token('CircleCI token', 'CCI', 'PAT_', [22, ALNUM], '_', [40, HEX]),
  token('Notion token', 'nt', 'n_', [11, DIGITS], [35, ALNUM]),
  token('Pulumi token', 'pu', 'l-', [40, HEX]),
  token('GitLab personal token', 'gl', 'pat-', [20, URL_SAFE]),
  token('GitLab routable token', 'gl', 'pat-', [27, ALNUM], '.01.', [9, LOWER + DIGITS]),
  token('GitLab feature flag token', 'glf', 'fct-', [20, URL_SAFE]),
  token('GitLab incoming mail token', 'gli', 'mt-', [25, URL_SAFE]),
  token('GitLab agent token', 'glag', 'ent-', [50, URL_SAFE]),
  token('GitLab deploy token', 'gl', 'dt-', [20, URL_SAFE]),
  token('GitLab runner token', 'gl', 'rt-', [20, URL_SAFE]),
  token('GitLab job token', 'gl', 'cbt-', [4, ALNUM], '_', [20, URL_SAFE]),
  token('GitLab trigger token', 'gl', 'ptt-', [40, HEX]),
  token('GitLab OAuth secret', 'gl', 'oas-', [64, URL_SAFE]),
  token('GitLab SCIM token', 'gl', 'soat-', [20, URL_SAFE]),
  token('GitLab feed token', 'gl', 'ft-', [20, URL_SAFE]),
  token('GitLab runner registration token', 'GR13', '48941', [20, URL_SAFE]),
  token('Bedrock key', 'AB', 'SK', [130, BASE64], '='),
  token('age key', 'AGE-SEC', 'RET-KEY-1', [58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L']),
  token('Azure AD client secret', [3, ALNUM], '8', 'Q~', [34, `${ALNUM}_~.-`]),
  token('Azure AD client secret of 7', [3, ALNUM], '7', 'Q~', [31, ALNUM]),
  token('GitHub personal token', 'gh', 'p_', [36, ALNUM]),
  token('GitHub OAuth token', 'gh', 'o_', [36, ALNUM]),
  token('GitHub user token', 'gh', 'u_', [36, ALNUM]),
  token('GitHub app token', 'gh', 's_', [36, ALNUM]),
  token('GitHub refresh token', 'gh', 'r_', [76, ALNUM]),
  token('GitHub fine-grained token', 'github', '_pat_', [22, ALNUM], '_', [59, ALNUM]),
  token('npm token', 'np', 'm_', [36, ALNUM]),
  token('PyPI token', 'py', 'pi-AgEIcHlwaS5vcmc', [120, URL_SAFE]),
  token('Clojars token', 'CLO', 'JARS_', [60, LOWER + DIGITS]),
  token('NuGet key', 'oy', '2', [43, LOWER + DIGITS]),
  token('crates.io token', 'ci', 'o', [32, ALNUM]),
  token('AWS key id', 'AK', 'IA', [16, BASE32]),
  token('AWS temporary key id', 'AS', 'IA', [16, BASE32]),
  token('AWS session token', 'IQo', 'Jb3JpZ2lu', [300, BASE64], '='),
  token('Alibaba key id', 'LT', 'AI', [20, ALNUM]),
  token('DigitalOcean token', 'do', 'p_v1_', [64, HEX]),
  token('DigitalOcean OAuth token', 'do', 'o_v1_', [64, HEX]),
  token('DigitalOcean refresh token', 'do', 'r_v1_', [64, HEX]),
  token('Cloudflare origin key', 'v1', '.0-', [24, HEX], '-', [146, HEX]),
  token('Vault service token', 'hv', 's.', [95, URL_SAFE]),
  token('Vault batch token', 'hv', 'b.', [140, URL_SAFE]),
  token('Vault token of old', 's', '.', [12, ALNUM], '7', [11, ALNUM]),
  token('Terraform Cloud token', [14, ALNUM], '.atlas', 'v1.', [64, URL_SAFE]),
  token(
    '1Password secret key',
    'A3',
    '-',
    [6, BASE32],
    '-',
    [11, BASE32],
    '-',
    [5, BASE32],
    '-',
    [5, BASE32],
    '-',
    [5, BASE32],
  ),
  token('1Password service token', 'op', 's_eyJ', [260, ALNUM]),
  token('Adobe client secret', 'p8', 'e-', [32, ALNUM]),
  token('Artifactory key', 'AK', 'Cp', [69, ALNUM]),
  token('Artifactory reference token', 'cm', 'Vmd', [59, ALNUM]),
  token('Authress key', 'sc', '_', [20, ALNUM], '.', [5, ALNUM], '.acc-', [12, ALNUM], '.', [40, ALNUM]),
  token('ClickHouse key', '4b', '1d', [38, ALNUM]),
  token('Duffel token', 'duf', 'fel_live_', [43, URL_SAFE]),
  token('Dynatrace token', 'dt0', 'c01.', [24, UPPER + DIGITS], '.', [64, UPPER + DIGITS]),
  token('EasyPost key', 'EZ', 'AK', [54, ALNUM]),
  token('EasyPost test key', 'EZ', 'TK', [54, ALNUM]),
  token('Facebook page token', 'EA', 'AM', [120, ALNUM]),
  token('Flutterwave secret key', 'FLW', 'SECK_TEST-', [32, 'abcdefgh0123456789'], '-X'),
  token('Frame.io token', 'fio', '-u-', [64, ALNUM]),
  token('Harness key', 'pa', 't.', [22, ALNUM], '.', [24, ALNUM], '.', [20, ALNUM]),
  token('Hugging Face token', 'h', 'f_', [34, UPPER + LOWER]),
  token('Hugging Face organization token', 'api', '_org_', [34, UPPER + LOWER]),
  token('Infracost key', 'ic', 'o-', [32, ALNUM]),
  token('42 client secret', 's-s4', 't2ud-', [64, HEX]),
  token('Linear key', 'lin', '_api_', [40, ALNUM]),
  token('Linear OAuth token', 'lin', '_oauth_', [64, HEX]),
  token('MaxMind key', [6, ALNUM], '_', [29, ALNUM], '_m', 'mk'),
  token('Octopus key', 'AP', 'I-', [26, UPPER + DIGITS]),
  token('OpenAI key', 's', 'k-', [20, ALNUM], 'T3Blbk', 'FJ', [20, ALNUM]),
  token('OpenAI project key', 's', 'k-proj-', [74, URL_SAFE], 'T3Blbk', 'FJ', [74, URL_SAFE]),
  token('OpenAI service account key', 's', 'k-svcacct-', [74, URL_SAFE], 'T3Blbk', 'FJ', [74, URL_SAFE]),
  token('OpenAI admin key', 's', 'k-admin-', [74, URL_SAFE], 'T3Blbk', 'FJ', [74, URL_SAFE]),
  token('Anthropic key', 's', 'k-ant-api03-', [93, URL_SAFE], 'AA'),
  token('Anthropic admin key', 's', 'k-ant-admin01-', [93, URL_SAFE], 'AA'),
  token('Anthropic OAuth token', 's', 'k-ant-oat01-', [90, URL_SAFE]),
  token('OpenRouter key', 's', 'k-or-v1-', [64, HEX]),
  token('DeepSeek key', 's', 'k-', [32, HEX]),
  token('Langfuse key', 's', 'k-lf-', [8, HEX], '-', [4, HEX], '-', [4, HEX], '-', [4, HEX], '-', [12, HEX]),
  token('Cerebras key', 'cs', 'k-', [48, LOWER + DIGITS]),
  token('Pinecone key', 'pc', 'sk_', [60, ALNUM]),
  token('Tavily key', 'tv', 'ly-dev-', [32, ALNUM]),
  token('Jina key', 'ji', 'na_', [60, ALNUM]),
  token('Together key', 'tgp', '_v1_', [43, URL_SAFE]),
  token('Firecrawl key', 'f', 'c-', [32, HEX]),
  token('E2B key', 'e2', 'b_', [40, HEX]),
  token('OpenShift token', 'sha', '256~', [43, URL_SAFE]),
  token('Prefect key', 'pn', 'u_', [36, ALNUM]),
  token('dbt token', 'db', 'tc_', [40, ALNUM]),
  token('ReadMe key', 'rd', 'me_', [70, LOWER + DIGITS]),
  token('Scalingo token', 'tk', '-us-', [48, URL_SAFE]),
  token('SendGrid key', 'S', 'G.', [22, URL_SAFE], '.', [43, URL_SAFE]),
  token('Brevo key', 'xkey', 'sib-', [64, HEX], '-', [16, ALNUM]),
  token('Brevo SMTP key', 'xsmtp', 'sib-', [64, HEX], '-', [16, ALNUM]),
  token('Mailgun key', 'ke', 'y-', [32, HEX]),
  token('Mailchimp key', [32, HEX], '-u', 's12'),
  token('MailerSend token', 'ml', 'sn.', [64, HEX]),
  token('Resend key', 'r', 'e_', [8, ALNUM], '_', [24, ALNUM]),
  token('SettleMint token', 'sm', '_pat_', [16, ALNUM]),
  token('Shippo token', 'ship', 'po_live_', [40, HEX]),
  token('Shopify access token', 'shp', 'at_', [32, HEX]),
  token('Shopify custom token', 'shp', 'ca_', [32, HEX]),
  token('Shopify private token', 'shp', 'pa_', [32, HEX]),
  token('Shopify shared secret', 'shp', 'ss_', [32, HEX]),
  token('Slack bot token', 'xo', 'xb-', [12, DIGITS], '-', [12, DIGITS], '-', [24, ALNUM]),
  token('Slack user token', 'xo', 'xp-', [12, DIGITS], '-', [12, DIGITS], '-', [12, DIGITS], '-', [32, HEX]),
  token('Slack app token', 'xa', 'pp-1-', [11, UPPER + DIGITS], '-', [13, DIGITS], '-', [64, HEX]),
  token('Slack configuration token', 'xo', 'xe.xoxp-1-', [166, UPPER + DIGITS]),
  token('Slack refresh token', 'xo', 'xe-1-', [146, UPPER + DIGITS]),
  token('Slack legacy token', 'xo', 'xs-', [11, DIGITS], '-', [11, DIGITS], '-', [11, DIGITS], '-', [
    32,
    HEX,
  ]),
  token('Slack cookie', 'xo', 'xd-', [60, ALNUM]),
  token('Snyk token', 'snyk', '_uat.', [8, HEX], '.', [80, URL_SAFE]),
  token('Sourcegraph token', 'sg', 'p_', [16, HEX], '_', [40, HEX]),
  token('SonarQube token', 'sq', 'p_', [40, HEX]),
  token('SonarQube user token', 'sq', 'u_', [40, HEX]),
  token('Square access token', 'EA', 'AA', [60, URL_SAFE]),
  token('Square token', 'sq0', 'atp-', [22, URL_SAFE]),
  token('Square OAuth secret', 'sq0', 'csp-', [43, URL_SAFE]),
  token('Stripe live key', 's', 'k_live_', [24, ALNUM]),
  token('Stripe test key', 's', 'k_test_', [99, ALNUM]),
  token('Stripe restricted key', 'r', 'k_live_', [24, ALNUM]),
  token('Stripe webhook secret', 'wh', 'sec_', [32, ALNUM]),
  token('Svix webhook secret', 'wh', 'sec_', [43, BASE64], '='),
  token('Razorpay key', 'rz', 'p_live_', [14, ALNUM]),
  token(
    'Plaid access token',
    'access',
    '-production-',
    [8, HEX],
    '-',
    [4, HEX],
    '-',
    [4, HEX],
    '-',
    [4, HEX],
    '-',
    [12, HEX],
  ),
  token('Twilio key', 'S', 'K', [32, HEX]),
  token('Typeform token', 'tf', 'p_', [59, URL_SAFE]),
  token('Vercel token', 'vc', 'p_', [56, ALNUM]),
  token('Render key', 'rn', 'd_', [32, ALNUM]),
  token('Deno Deploy token', 'dd', 'p_', [36, ALNUM]),
  token('Aiven password', 'AVN', 'S_', [19, ALNUM]),
  token('MongoDB Atlas secret', 'mdb', '_sa_sk_', [40, ALNUM]),
  token('CockroachDB key', 'CC', 'DB1_', [22, ALNUM], '_', [40, ALNUM]),
  token('PostHog key', 'ph', 'x_', [43, ALNUM]),
  token('Honeycomb key', 'hca', 'ik_', [58, LOWER + DIGITS]),
  token('HubSpot token', 'pat', '-na1-', [8, HEX], '-', [4, HEX], '-', [4, HEX], '-', [4, HEX], '-', [
    12,
    HEX,
  ]),
  token('Airtable token', 'pa', 't', [14, ALNUM], '.', [64, HEX]),
  token('Asana token', '1', '/', [16, DIGITS], ':', [32, HEX]),
  token('Contentful token', 'CF', 'PAT-', [43, URL_SAFE]),
  token('Buildkite token', 'bk', 'ua_', [40, HEX]),
  token('Telegram bot token', [10, '123456789'], ':A', [34, URL_SAFE]),
  token('Discord bot token', 'M', [24, ALNUM], '.', [6, URL_SAFE], '.', [38, URL_SAFE]),
  token('Firebase messaging key', 'AA', 'AA', [7, ALNUM], ':APA', '91b', [134, URL_SAFE]),
  token('Yandex Cloud key', 'AQ', 'VN', [37, URL_SAFE]),
  token('Yandex OAuth token', 'y', '0_', [54, URL_SAFE]),
  token('VK token', 'vk', '1.a.', [80, URL_SAFE]),
  token('JWT', 'ey', 'J', [30, ALNUM], '.ey', 'J', [60, ALNUM], '.', [43, URL_SAFE]),
  token('JWT in base64', 'ZX', 'lKaGJHY2lPaU', [100, ALNUM]),
  token('hash of bcrypt', '$2', 'b$12$', [53, `${ALNUM}./`]),
  token('hash of crypt', '$6', '$', [16, ALNUM], '$', [86, `${ALNUM}./`]),
]

/** Makes a kind of secret that only its name marks as a secret. */
const assigned = (name: string, before: string, value: (random: Random) => string, after = ''): SecretKind =>
  kind(name, (random) => {
    const secret = value(random)
    return { text: before + secret + after, secret }
  })

const hex32 = (random: Random): string => random(32, HEX)
const word40 = (random: Random): string => `${random(39)}7`

/** Tokens without a recognizable form, written next to the name of their vendor: the rules of gitleaks. */
const VENDORS: readonly SecretKind[] = (
  [
    ['ADAFRUIT_API', 32, `${LOWER}${DIGITS}_-`],
    ['airtable_api', 17, LOWER + DIGITS],
    ['algolia.api', 32, LOWER + DIGITS],
    ['ALIBABA_ACCESS', 30, LOWER + DIGITS],
    ['asana_client', 32, LOWER + DIGITS],
    ['bitbucket_client', 64, LOWER + DIGITS],
    ['bittrex_access', 32, LOWER + DIGITS],
    ['CISCO_MERAKI', 40, HEX],
    ['cloudflare_api', 40, `${LOWER}${DIGITS}_-`],
    ['cloudflare_global', 37, HEX],
    ['codecov_upload', 32, LOWER + DIGITS],
    ['cohere_api', 40, ALNUM],
    ['coinbase_api', 64, LOWER + DIGITS],
    ['confluent_api', 16, LOWER + DIGITS],
    ['contentful_delivery', 43, LOWER + DIGITS],
    ['DATADOG_APP', 40, HEX],
    ['discord_bot', 64, HEX],
    ['droneci_access', 32, LOWER + DIGITS],
    ['dropbox_access', 15, LOWER + DIGITS],
    ['etsy_api', 24, LOWER + DIGITS],
    ['facebook_app', 32, HEX],
    ['fastly_api', 32, LOWER + DIGITS],
    ['finicity_app', 32, HEX],
    ['finnhub_api', 20, LOWER + DIGITS],
    ['flickr_access', 32, LOWER + DIGITS],
    ['freshbooks_access', 64, LOWER + DIGITS],
    ['gitter_access', 40, LOWER + DIGITS],
    ['intercom_api', 60, LOWER + DIGITS],
    ['jfrog_api', 73, LOWER + DIGITS],
    ['kraken_access', 84, BASE64],
    ['kucoin_access', 24, HEX],
    ['launchdarkly_access', 40, LOWER + DIGITS],
    ['linear_client', 32, HEX],
    ['linkedin_client', 16, LOWER + DIGITS],
    ['mattermost_access', 26, LOWER + DIGITS],
    ['messagebird_api', 25, LOWER + DIGITS],
    ['netlify_access', 43, LOWER + DIGITS],
    ['nytimes_access', 32, LOWER + DIGITS],
    ['plaid_client', 30, LOWER + DIGITS],
    ['rapidapi_access', 50, LOWER + DIGITS],
    ['sendbird_access', 40, HEX],
    ['sentry_access', 64, HEX],
    ['sonar_token', 40, LOWER + DIGITS],
    ['sumologic_access', 64, LOWER + DIGITS],
    ['travis_access', 22, LOWER + DIGITS],
    ['twitch_api', 30, LOWER + DIGITS],
    ['twitter_access', 45, LOWER + DIGITS],
    ['zendesk_client', 40, LOWER + DIGITS],
  ] as const
).flatMap(([name, length, alphabet]) => [
  assigned(`${name} = "…"`, `${name} = "`, (random) => `${random(length - 2, alphabet)}a7`, '"'),
])

const PASSWORD_LINES: readonly (readonly [name: string, before: string, after?: string])[] = [
  ['Password= of a connection string', 'Server=db;Database=app;User Id=sa;Password=', ';Encrypt=true'],
  ['Pwd= of a connection string', 'Driver={ODBC Driver 18};Server=db;Uid=sa;Pwd=', ';'],
  ['password first in a connection string', 'Password=', ';Server=db;User Id=sa'],
  ['password of libpq', 'host=db user=app password=', ' dbname=app'],
  ['YAML', 'database:\n  user: app\n  password: ', '\n  port: 5432'],
  ['YAML in single quotes', "password: '", "'\nport: 1"],
  ['YAML in double quotes', 'db:\n  passwd: "', '"'],
  ['YAML of a list', '- name: DB_PASSWORD\n  value: x\n- password: ', ''],
  ['YAML of docker compose', '    environment:\n      - POSTGRES_PASSWORD=', '\n'],
  ['YAML of docker compose, as a map', '    environment:\n      POSTGRES_PASSWORD: ', '\n'],
  ['YAML as a block', 'password: |\n  ', '\n'],
  ['TOML', '[db]\npassword = "', '"\n'],
  ['TOML in single quotes', "api_secret = '", "'\n"],
  ['.env DB_PASS', 'DB_USER=app\nDB_PASS=', '\nDB_PORT=1'],
  ['.env PASSWORD', 'PASSWORD=', ''],
  ['.env in quotes', 'MAIL_PASSWORD="', '"'],
  ['.env in single quotes', "REDIS_PASSWORD='", "'"],
  ['Java properties', 'spring.datasource.password=', '\nspring.datasource.username=app'],
  ['Java properties with spaces', 'db.password = ', '\n'],
  ['Java properties with a colon', 'jdbc.password: ', '\n'],
  ['Java option', 'java -Djavax.net.ssl.keyStorePassword=', ' -jar app.jar'],
  ['PowerShell', "$env:DB_PASSWORD='", "'"],
  ['PowerShell without quotes', '$env:ADMIN_PASSWORD = "', '"'],
  ['PowerShell variable', '$password = "', '"'],
  ['Dockerfile ENV', 'ENV DB_PASSWORD ', '\nRUN x'],
  ['Dockerfile ENV with a sign', 'ENV DB_PASSWORD=', '\nRUN x'],
  ['Dockerfile ARG', 'ARG ADMIN_PASSWORD=', '\n'],
  ['export', 'export DB_PASSWORD=', ''],
  ['export in quotes', 'export DB_PASSWORD="', '"; ./run'],
  ['export and a command', 'export PGPASSWORD=', ' && psql'],
  ['variable before a command', 'MYSQL_PWD=', ' mysql -u root'],
  ['setx', 'setx DB_PASSWORD ', ''],
  ['setx in quotes', 'setx DB_PASSWORD "', '"'],
  ['set of Windows', 'set DB_PASSWORD=', '\r\nrun'],
  ['fish', 'set -x DB_PASSWORD ', ''],
  ['JSON', '{"user": "app", "password": "', '"}'],
  ['JSON without spaces', '{"user":"app","passwd":"', '","port":1}'],
  ['JSON in a string', '{\\"password\\": \\"', '\\"}'],
  ['JSON in a string in a string', '{\\\\\\"password\\\\\\":\\\\\\"', '\\\\\\"}'],
  ['Python dictionary', "{'user': 'app', 'password': '", "'}"],
  ['Python argument', 'connect(host="db", password="', '")'],
  ['Ruby hash', ":password => '", "',"],
  ['Ruby symbol', "password: '", "'"],
  ['PHP array', "'password' => '", "',"],
  ['PHP define', "define('DB_PASSWORD', '", "');"],
  ['Go field', 'Password: "', '",'],
  ['Go assignment', 'password := "', '"'],
  ['JavaScript constant', "const dbPassword = '", "'"],
  ['TypeScript field', "readonly adminPassword: string = '", "'"],
  ['Terraform', 'administrator_login_password = "', '"'],
  ['SQL IDENTIFIED BY', "CREATE USER app IDENTIFIED BY '", "';"],
  ['SQL WITH PASSWORD', "ALTER USER app WITH PASSWORD '", "';"],
  ['XML element', '<password>', '</password>'],
  ['XML attribute', '<user name="app" password="', '"/>'],
  ['NuGet setting', '<add key="ClearTextPassword" value="', '" />'],
  ['netrc', 'machine git.example.com login app password ', '\n'],
  ['netrc on lines', 'machine git.example.com\n  login app\n  password ', '\n'],
  ['netrc without a login', 'machine git.example.com password ', '\n'],
  ['pgpass', 'db.example.com:5432:app:app:', ''],
  ['option --password', 'mytool --password ', ' --verbose'],
  ['option --password=', 'mytool --password=', ' --verbose'],
  ['option --passphrase in quotes', "gpg --batch --passphrase '", "' file"],
  ['option of docker login', 'docker login -u app --password ', ' registry.example.com'],
  ['user of curl', 'curl -u app:', ' http://localhost/'],
  ['user of curl in quotes', "curl --user 'app:", "' http://localhost/"],
  ['proxy user of curl', 'curl --proxy-user app:', ' http://localhost/'],
  ['password of mysql', 'mysql -u root -p', ' app'],
  ['password of mysqldump', 'mysqldump -u root -p', ' app'],
  ['sshpass', 'sshpass -p ', ' ssh app@host'],
  ['redis-cli', 'redis-cli -h cache -a ', ' ping'],
  ['Ansible', 'ansible_become_pass: ', '\n'],
  ['Helm option', 'helm install --set auth.rootPassword=', ' x'],
  ['Kubernetes literal', 'kubectl create secret generic x --from-literal=password=', ''],
  ['variable of libpq', 'PGPASSWORD=', ' psql'],
  ['git-crypt, a passphrase', 'passphrase: ', ''],
  ['default of the shell', 'echo ${DB_PASSWORD:-', '}'],
  ['log of a server', 'login failed user=app password=', ' from 10.0.0.1'],
  ['query string', 'GET /login?user=app&password=', '&next=1'],
  ['form', 'username=app&password=', ''],
]

const TOKEN_LINES: readonly (readonly [name: string, before: string, after?: string])[] = [
  ['SECRET_KEY_BASE', 'SECRET_KEY_BASE=', ''],
  ['SECRET_KEY of Django', "SECRET_KEY = '", "'"],
  ['ENCRYPTION_KEY', 'ENCRYPTION_KEY=', '\n'],
  ['APP_KEY', 'APP_KEY=', '\n'],
  ['STRIPE_KEY', 'STRIPE_KEY=', '\n'],
  ['SIGNING_KEY in YAML', 'SIGNING_KEY: ', '\n'],
  ['token of JSON', '{"token": "', '"}'],
  ['token of JSON without spaces', '{"token":"', '"}'],
  ['secret in quotes of two kinds', '"secret": \'', "'"],
  ['client secret of JSON', '{"client_secret": "', '"}'],
  ['refresh token of JSON', '{"refresh_token": "', '", "x": 1}'],
  ['access token of JSON', '{"accessToken":"', '","expires":3600}'],
  ['id token of JSON', '{"id_token": "', '"}'],
  ['apiKey of JavaScript', "const apiKey = '", "'"],
  ['api_key of Python', 'api_key="', '"'],
  ['apikey of YAML', 'apikey: ', '\n'],
  ['authToken of a properties file', 'authToken=', '\n'],
  ['auth of a Docker configuration', '{"auths": {"r.example.com": {"auth": "', '"}}}'],
  ['webhook secret', 'WEBHOOK_SECRET=', '\n'],
  ['JWT_SECRET', 'JWT_SECRET="', '"'],
  ['session secret', "session({ secret: '", "' })"],
  ['cookie secret', 'COOKIE_SECRET: "', '"'],
  ['GITHUB_TOKEN', 'GITHUB_TOKEN=', ' gh pr list'],
  ['token option', 'mytool --token ', ' run'],
  ['token option with a sign', 'mytool --auth-token=', ' run'],
  ['api key option', 'mytool --api-key "', '" run'],
  ['setx of a token', 'setx API_TOKEN ', ''],
  ['configure set', 'aws configure set aws_secret_access_key ', ' --profile x'],
  ['Bearer header', 'Authorization: Bearer ', ''],
  ['Bearer header of curl', 'curl -H "Authorization: Bearer ', '" http://localhost/'],
  ['Bearer header of JSON', '{"Authorization": "Bearer ', '"}'],
  ['token header', 'Authorization: token ', ''],
  ['header without a scheme', 'Authorization: ', ''],
  ['proxy header', 'Proxy-Authorization: Basic ', ''],
  ['basic header', 'authorization: Basic ', ''],
  ['Bot header', 'Authorization: Bot ', ''],
  ['ApiKey header', 'Authorization: ApiKey ', ''],
  ['X-Api-Key', 'X-Api-Key: ', ''],
  ['X-Api-Key of curl', "curl -H 'x-api-key: ", "' http://localhost/"],
  ['X-Auth-Token', 'X-Auth-Token: ', ''],
  ['X-Access-Token', 'X-Access-Token: ', ''],
  ['X-Vault-Token', 'X-Vault-Token: ', ''],
  ['X-Amz-Security-Token', 'X-Amz-Security-Token: ', ''],
  ['X-CSRF-Token', 'X-CSRF-Token: ', ''],
  ['Private-Token', 'PRIVATE-TOKEN: ', ''],
  ['subscription key', 'Ocp-Apim-Subscription-Key: ', ''],
  ['api-key header', 'api-key: ', ''],
  ['Cookie', 'Cookie: theme=dark; session=', '; x=1'],
  ['Cookie first', 'Cookie: sid=', '; theme=dark'],
  ['Set-Cookie', 'Set-Cookie: connect.sid=', '; Path=/; HttpOnly'],
  ['Cookie of curl', "curl -H 'Cookie: auth=", "' http://localhost/"],
  ['cookie of GitLab', '_gitlab_session=', ''],
  ['token of a query', 'GET /v1/items?token=', '&page=2'],
  ['access token of a query', 'https://api.example.com/me?access_token=', ''],
  ['api key of a query', 'https://api.example.com/me?page=2&api_key=', '&x=1'],
  ['key of a query', 'https://maps.example.com/api?key=', '&q=x'],
  ['code of an OAuth redirect', 'https://app.example.com/cb?state=x&code=', ''],
  ['code of an Azure function', 'https://f.azurewebsites.net/api/x?code=', '=='],
  ['fragment of an OAuth redirect', 'https://app.example.com/cb#access_token=', '&token_type=bearer'],
  ['signature of a query', 'https://cdn.example.com/a?Expires=1&Signature=', '&Key-Pair-Id=x'],
  [
    'presigned address of S3',
    'https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=',
    '&X-Amz-SignedHeaders=host',
  ],
  ['presigned address of GCS', 'https://storage.googleapis.com/b/k?X-Goog-Signature=', ''],
  ['SAS', 'https://a.blob.core.windows.net/c?sv=2022-11-02&sr=c&sig=', '%3D&se=2030-01-01'],
  ['SAS of a service bus', 'SharedAccessSignature sr=sb%3a%2f%2fx&sig=', '&se=1700000000&skn=x'],
  [
    'key of a service bus',
    'Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=x;SharedAccessKey=',
    '=',
  ],
  [
    'key of Azure storage',
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=',
    '==;EndpointSuffix=core.windows.net',
  ],
  ['key of Cosmos DB', 'AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=', '==;'],
  ['npm login', '//registry.example.com/:_authToken=', ''],
  ['npm login in base64', '_auth=', ''],
  ['yarn login', 'npmAuthToken: "', '"'],
  ['Cargo credentials', '[registry]\ntoken = "', '"'],
  ['Composer token', '{"github-oauth": {"github.com": "x"}, "api-token": "', '"}'],
  ['AWS secret', 'aws_secret_access_key = ', '\n'],
  ['AWS secret of JSON', '{"SecretAccessKey": "', '"}'],
  ['AWS secret of a variable', 'AWS_SECRET_ACCESS_KEY=', ''],
  ['session token of AWS', 'aws_session_token=', ''],
  ['WireGuard key', 'PrivateKey = ', '='],
  ['Ethereum key', 'PRIVATE_KEY=0x', ''],
  ['Kubernetes secret', 'kind: Secret\ndata:\n  token: ', ''],
  ['Terraform variable', 'TF_VAR_api_token=', ''],
  ['log of a request', 'request failed token=', ' status=401'],
]

/** Secrets that were masked only in part in the past: they contain characters that end a value elsewhere. */
const AWKWARD: readonly SecretKind[] = [
  ...(
    [
      ...['#', '&', ';', '&#', '$', '%', '@', '!', '^', '*', '+', '=', '|', '~', '?', ',', '.', ':', '/'],
      ...['(', ')', '[', ']', '()', '[0]', '->', '=>', '::', '...', '?.', '@x('],
    ] as const
  ).flatMap((sign) => {
    const value = (random: Random) => `${random(3, LOWER)}7${random(4)}${sign}${random(8)}`
    return [
      assigned(`.env with ${sign}`, 'DB_PASSWORD=', value, '\nDB_PORT=1'),
      assigned(`quoted with ${sign}`, '{"password": "', value, '", "user": "app"}'),
    ]
  }),
  ...(['#', '&', ';', '/', '?', '@', '!', '$', '%', '='] as const).flatMap((sign) => {
    const value = (random: Random) => `${random(3, LOWER)}7${random(4)}${sign}${random(8)}`
    return [
      assigned(`web address with ${sign} in its password`, 'https://app:', value, '@example.com/path'),
      assigned(`DSN with ${sign} in its password`, 'postgres://app:', value, '@db.example.com:5432/app'),
    ]
  }),
  assigned(
    'ODBC in braces',
    'Driver={ODBC};Server=db;Uid=sa;Pwd={',
    (random) => `${random(4)}7;${random(6)}`,
    '};Encrypt=yes',
  ),
  assigned(
    'ODBC in braces with a brace',
    'Driver={ODBC};Pwd={',
    (random) => `${random(4)}7}}${random(8)}`,
    '};Uid=sa',
  ),
  assigned(
    'connection string in quotes',
    'Server=db;Password="',
    (random) => `${random(4)}7;${random(8)}`,
    '";Uid=sa',
  ),
  assigned(
    'connection string with a space',
    'Server=db;Password=',
    (random) => `${random(4)}7 ${random(8)}`,
    ';Uid=sa',
  ),
  assigned(
    '.env with spaces in quotes',
    'DB_PASSWORD="',
    (random) => `${random(6)}7 ${random(8)} ${random(8)}`,
    '"',
  ),
  assigned(
    'words in quotes',
    'export DB_PASSWORD="',
    (random) => [7, 8, 9, 8].map((length) => random(length, LOWER)).join(' '),
    '"',
  ),
  assigned(
    'JSON with spaces',
    '{"password": "',
    (random) => `${random(6)}7 ${random(7)}9 ${random(8)}`,
    '"}',
  ),
  assigned('YAML with spaces in quotes', "password: '", (random) => `${random(6)}7 ${random(7)}9`, "'"),
  assigned('with an escaped quote', '{"password": "', (random) => `${random(6)}7\\"${random(8)}`, '"}'),
  assigned('with the other quote', 'password = "', (random) => `${random(6)}7'${random(8)}`, '"'),
  assigned('letters alone in .env', 'DB_PASSWORD=', (random) => random(12, LOWER), ''),
  assigned(
    'letters alone in a connection string',
    'Server=db;Uid=sa;Password=',
    (random) => random(12, LOWER),
    ';',
  ),
  ...(
    [
      ['first in quotes', 'connect("Password=', ';Server=db")'],
      ['behind a name with a space', 'Server=db;Proxy Password=', ';Uid=sa'],
      ['with export', 'export db_password=', ''],
      ['in PowerShell', '$env:db_password=', ''],
      ['with set of Windows', 'set db_password=', '\r\nrun'],
      ['with -e of docker', 'docker run \\\n  -e db_password=', ' app'],
      ['of a token in .env', 'BILLING_TOKEN=', ''],
      ['with redis-cli', 'redis-cli -h cache --pass ', ' ping'],
      ['of an npm login', '//registry.example.com/:_password=', ''],
      ['in a query', 'https://app.example.com/login?user=app&password=', '&next=1'],
    ] as const
  ).map(([name, before, after]) =>
    assigned(`letters alone ${name}`, before, (random) => random(12, LOWER), after),
  ),
  assigned('digits alone', 'password: ', (random) => random(10, DIGITS), ''),
  assigned(
    'letters alone, with capitals in a row',
    '{"password": "',
    (random) => [2, 4, 2, 4, 2].map((length, i) => random(length, i % 2 === 0 ? LOWER : UPPER)).join(''),
    '"}',
  ),
  ...(['!', '@', '#', '%', '^', '&', '*', '~', '+', '?'] as const).map((sign) =>
    assigned(
      `letters and ${sign}`,
      '{"password": "',
      (random) => `${random(7, LOWER)}${sign}${random(7, LOWER)}`,
      '"}',
    ),
  ),
  assigned('a name without a sign between its words', 'dbpassword: ', password, ''),
  assigned('npm config set', 'npm config set npmAuthToken ', word40, ''),
  assigned('setenv', 'setenv DB_PASSWORD ', password, ''),
  assigned('set-secret', 'tool set-secret API_TOKEN ', word40, ''),
  assigned('a value with a pair in it', 'DB_PASSWORD=', (random) => `${random(4)}7&a=${random(9)}`, ''),
  assigned(
    'ODBC in braces with a brace and a semicolon',
    'Driver={ODBC};Pwd={',
    (random) => `${random(4)}7}};${random(9)}`,
    '};Uid=sa',
  ),
  assigned('braces without other pairs', 'Pwd={', (random) => `${random(4)}7 ${random(9)}`, '}'),
]

const DSNS: readonly SecretKind[] =
  'postgres postgresql+asyncpg mysql mariadb mongodb mongodb+srv redis rediss amqp amqps neo4j neo4j+s bolt mssql clickhouse ftp sftp smtp ldap https http socks5 nats kafka'
    .split(' ')
    .map((scheme) => assigned(`${scheme} address`, `${scheme}://app:`, password, '@host.example.com:1234/x'))

const pem = (label: string, random: Random): string[] => [
  `${'-'.repeat(5)}BEGIN ${label}${'-'.repeat(5)}`,
  ...[0, 1, 2, 3].map(() => random(64, BASE64)),
  `${random(22, BASE64)}==`,
  `${'-'.repeat(5)}END ${label}${'-'.repeat(5)}`,
]

const PRIVATE = `PRIVATE ${'KEY'}`
const LABELS = [
  `RSA ${PRIVATE}`,
  `EC ${PRIVATE}`,
  `DSA ${PRIVATE}`,
  PRIVATE,
  `ENCRYPTED ${PRIVATE}`,
  `OPENSSH ${PRIVATE}`,
]

const KEYS: readonly SecretKind[] = [
  ...[...LABELS, `PGP ${PRIVATE} BLOCK`].map((label) =>
    kind(label, (random) => {
      const lines = pem(label, random)
      return { text: `cat key.pem\n${lines.join('\n')}\n`, secret: lines.slice(1, -1).join('\n') }
    }),
  ),
  // The token begins with a common word.
  kind('Braintree token', (random) => {
    const secret = `${random(16, LOWER + DIGITS)}$${random(32, HEX)}`
    return { text: `used access${'_token'}$production$${secret}`, secret }
  }),
  kind('PEM on one line', (random) => {
    const lines = pem(LABELS[0] ?? '', random)
    return { text: `{"private_key": "${lines.join('\\n')}\\n"}`, secret: lines.slice(1, -1).join('\\n') }
  }),
  kind('PEM in base64', (random) => {
    const secret = base64(pem(LABELS[0] ?? '', random).join('\n'))
    return { text: `client-key-data: ${secret}\n`, secret }
  }),
  kind('PEM in base64 without a name', (random) => {
    const secret = base64(pem(LABELS[3] ?? '', random).join('\n'))
    return { text: `found ${secret} there`, secret }
  }),
  kind('PuTTY key', (random) => {
    const lines = [0, 1, 2].map(() => random(64, BASE64))
    const head = `PuTTY-User-Key-${'File'}-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAA\n`
    return {
      text: `${head}Private-Lines: 3\n${lines.join('\n')}\nPrivate-MAC: 00`,
      secret: lines.join('\n'),
    }
  }),
  ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].map((part) =>
    kind(`part ${part} of a JWK`, (random) => {
      const secret = random(43, URL_SAFE)
      return { text: `{"kty":"EC","crv":"P-256","x":"x","${part}":"${secret}"}`, secret }
    }),
  ),
  ...['oauth_token', 'oauth_signature'].map((name) =>
    assigned(`letters alone in ${name}`, `POST status=x&${name}=`, (random) => random(24, LOWER), ''),
  ),
  kind('AWS secret beside its id', (random) => {
    const secret = `${random(38, BASE64)}aZ`
    return { text: `AK${'IA'}${random(16, BASE32)},${secret}\n`, secret }
  }),
  kind('AWS secret on the line after its id', (random) => {
    const secret = `${random(38, BASE64)}aZ`
    return { text: `Access key: AK${'IA'}${random(16, BASE32)}\nSecret: ${secret}\n`, secret }
  }),
]

const WEBHOOKS: readonly SecretKind[] = [
  kind('Slack webhook', (random) => {
    const secret = `T${random(10, UPPER + DIGITS)}/B${random(10, UPPER + DIGITS)}/${random(24)}`
    return { text: `curl https://hooks.slack.com/${'services'}/${secret}`, secret }
  }),
  kind('Slack workflow', (random) => {
    const secret = `T${random(10, UPPER + DIGITS)}/A${random(10, UPPER + DIGITS)}/${random(18, DIGITS)}/${random(24)}`
    return { text: `https://hooks.slack.com/${'workflows'}/${secret}`, secret }
  }),
  kind('Discord webhook', (random) => {
    const secret = random(68, URL_SAFE)
    return {
      text: `https://discord.com/api/${'webhooks'}/${random(18, '123456789')}/${secret} failed`,
      secret,
    }
  }),
  kind('Teams webhook', (random) => {
    const secret = random(32, HEX)
    const path = `${uuid(random)}@${uuid(random)}/IncomingWebhook/${secret}/${uuid(random)}`
    return { text: `https://example.webhook.office.com/${'webhookb2'}/${path}`, secret }
  }),
  kind('Teams workflow', (random) => {
    const secret = random(43, URL_SAFE)
    return {
      text: `https://x.logic.azure.com/workflows/${random(32, HEX)}/triggers/manual/paths/invoke?sp=x&sv=1.0&sig=${secret}`,
      secret,
    }
  }),
  kind('Google Chat webhook', (random) => {
    const secret = random(43, URL_SAFE)
    return { text: `https://chat.googleapis.com/v1/spaces/AAAA/messages?key=x&token=${secret}`, secret }
  }),
  kind('Zapier webhook', (random) => {
    const secret = random(12, LOWER + DIGITS)
    return { text: `https://hooks.zapier.com/hooks/catch/${random(7, DIGITS)}/${secret}/`, secret }
  }),
  kind('IFTTT webhook', (random) => {
    const secret = random(43, URL_SAFE)
    return { text: `https://maker.ifttt.com/trigger/done/with/key/${secret}`, secret }
  }),
  kind('Telegram address', (random) => {
    const secret = `${random(10, '123456789')}:A${random(34, URL_SAFE)}`
    return { text: `https://api.telegram.org/bot${secret}/sendMessage`, secret }
  }),
  kind('Sentry DSN', (random) => {
    const secret = `${random(31, HEX)}7`
    return { text: `https://${secret}@o1.ingest.sentry.io/2`, secret }
  }),
  kind('token as the user of a web address', (random) => {
    const secret = `${random(39)}7`
    return { text: `git clone https://${secret}@git.example.com/a/b.git`, secret }
  }),
  kind('token and x-oauth-basic', (random) => {
    const secret = random(40, HEX)
    return { text: `https://${secret}:x-oauth-basic@git.example.com/a/b.git`, secret }
  }),
  kind('Digest header', (random) => {
    const secret = random(32, HEX)
    return {
      text: `Authorization: Digest username="app", realm="x", nonce="n", uri="/", response="${secret}"`,
      secret,
    }
  }),
  kind('header of AWS', (random) => {
    const secret = random(64, HEX)
    return {
      text: `Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/eu/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=${secret}`,
      secret,
    }
  }),
  kind('OAuth 1 header', (random) => {
    const secret = `${random(27, ALNUM)}%3D`
    return {
      text: `Authorization: OAuth oauth_consumer_key="x", oauth_nonce="n", oauth_signature="${secret}"`,
      secret,
    }
  }),
]

export const SECRET_KINDS: readonly SecretKind[] = [
  ...TOKENS,
  ...VENDORS,
  ...PASSWORD_LINES.map(([name, before, after]) => assigned(name, before, password, after)),
  ...TOKEN_LINES.map(([name, before, after]) => assigned(name, before, word40, after)),
  ...TOKEN_LINES.slice(0, 24).map(([name, before, after]) =>
    assigned(`${name}, in hex`, before, hex32, after),
  ),
  ...AWKWARD,
  ...DSNS,
  ...KEYS,
  ...WEBHOOKS,
]

/** Returns the longest part of a secret, of at least six characters, that is still in a text, or null. */
export function survivor(text: string, secret: string): string | null {
  for (let length = secret.length; length >= 6; length--) {
    for (let start = 0; start + length <= secret.length; start++) {
      const part = secret.slice(start, start + length)
      if (text.includes(part)) return part
    }
  }
  return null
}
