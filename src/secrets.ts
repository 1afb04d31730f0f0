/**
 * Which places of a text are secrets. Rules come from secretlint's preset (maintained there); what it lacks is below,
 * each rule with its reason.
 */

/** A secret of some kind, in UTF-16 units of the text. */
export type Secret = Readonly<{ kind: string; start: number; end: number }>

/**
 * Every secret that any rule finds, in no order; two rules may find the same one. The time is linear in
 * the text: measured for 1 MiB, 30 ms of prose, and 0.2 s of what is hardest (`ghp_` over and over).
 */
export async function findSecrets(text: string): Promise<Secret[]> {
  const content = withoutEscapes(text)
  return [
    ...(await findByPreset(content)),
    ...PATTERNS.flatMap(([kind, pattern]) => [...findByPattern(kind, pattern, content)]),
    ...findJwts(content),
    ...findUrlCredentials(content),
    ...findPrivateKeys(content),
  ]
}

/**
 * What logs and JSON within a text write in front of a token ends in a letter or a digit (`\n`, `\u003d`,
 * the colour code `ESC[32m`), and a rule takes both for one word. So it becomes as many characters of
 * white space, or of a neutral kind where it may be part of a password (`\u0026`).
 */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ESC is what begins a colour code
  /(?<!\\)\\+(?:[nrt]|(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2})(?:\[[\d;]*[A-Za-z])?)|\u001b\[[\d;]*[A-Za-z]/g

const withoutEscapes = (text: string): string =>
  text.includes('\\') || text.includes('\u001b')
    ? text.replace(ESCAPES, (written) => (/\\[nrt]$|\[/.test(written) ? ' ' : '!').repeat(written.length))
    : text

type PresetRule = typeof import('@secretlint/secretlint-rule-preset-recommend')['rules'][number]

/** Rules of the preset that do harm here, by the end of their id. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  // Lets a text switch the scrubbing of all that follow off, by saying `secretlint-disable`.
  'filter-comments',
  // Take the host away with the password, skip passwords that look like examples, and know few schemes.
  'basicauth',
  'database-connection-string',
  // Skips a key that ends in / + or =, and compiles its pattern on every scan: 85 of the preset's 120 µs.
  'aws',
  // Skips a key with a dash in its first part or two in its second; 0.5 s on 1 MiB that is made for it.
  'sendgrid',
])

const kindOf = (rule: PresetRule): string => rule.meta.id.replace('@secretlint/secretlint-rule-', '')

async function loadPreset(): Promise<PresetRule[]> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend')
  return rules.filter((rule) => !LEFT_OUT.has(kindOf(rule)))
}

let preset: Promise<PresetRule[]> | undefined

/**
 * Runs the preset's rules directly. `lintSource` of @secretlint/core marks some fifty entries a call on
 * Node's performance timeline and keeps them for good: made for a command line, in a service it leaks
 * and slows down (measured: 27,000 entries after 500 calls, and 0.4 ms a call where the rules need 0.04).
 */
async function findByPreset(content: string): Promise<Secret[]> {
  preset ??= loadPreset()
  const found: Secret[] = []
  const source = sourceOf(content)
  for (const rule of await preset) {
    const handler = rule.create(
      {
        sharedOptions: {},
        createTranslator: () => () => NO_MESSAGE,
        report: ({ range: [start, end] }: { range: readonly [number, number] }) =>
          found.push({ kind: kindOf(rule), start, end }),
        ignore: () => {},
      },
      {},
    )
    await handler.file?.(source)
  }
  return found
}

/** A message would quote the secret. */
const NO_MESSAGE = { message: '', messageId: '', data: undefined }

/** A text as the rules want it: no file, so no rule reads one; lines and columns are for messages only. */
const sourceOf = (content: string) => ({
  content,
  contentType: 'text' as const,
  hasBOM: false,
  ext: '',
  filePath: 'turn',
  physicalFilePath: undefined,
  getFilePath: () => 'turn',
  getPhysicalFilePath: () => undefined,
  positionToIndex: () => 0,
  indexToPosition: () => NOWHERE,
  locationToRange: () => [0, 0] as const,
  rangeToLocation: () => ({ start: NOWHERE, end: NOWHERE }),
})

const NOWHERE = { line: 1, column: 0 }

/**
 * Kinds that the preset lacks or knows in part; the secret is group 1, or else the whole match. Runs
 * without an upper bound begin where no other can begin, so each pattern is linear in the text.
 */
const PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  // The preset knows 36 characters exactly: refresh tokens are longer, and so are the newer `ghs_` with dots.
  ['github', /(?<![A-Za-z0-9])gh[opsur]_\w{36,}(?:\.[\w-]{16,})*/dg],
  ['gitlab', /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|oas|soat)-[\w-]{20,}(?:\.\w+)*/dg],
  // The preset lacks xoxc, xoxd, xoxe and xoxs, and ends at the 40th character: xapp's secret has 64.
  ['slack', /(?<![A-Za-z0-9])(?:xox[a-z]|xapp-\d)-[\w%-]{20,}/dg],
  ['stripe', /(?<![A-Za-z0-9])(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{32,})/dg],
  ['huggingface', /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/dg],
  ['google', /(?<![A-Za-z0-9])(?:AIza[\w-]{35}|GOCSPX-[\w-]{28})/dg],
  ['sendgrid', /(?<![A-Za-z0-9])SG\.[\w-]{22}\.[\w-]{43}/dg],
  // The preset wants one exact length each: other lengths, OAuth tokens of Claude Code, OpenRouter.
  // Without such a word a digit makes it a key: `sk-` also begins the names of classes.
  [
    'sk',
    /(?<![A-Za-z0-9])sk-(?:(?:ant|proj|svcacct|admin|or-v1|lf)-[\w-]{20,}|(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,})/dg,
  ],
  ['aws-key-id', /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|A(?:KI|SI|BI|CC)A)[A-Z0-9]{16}(?![A-Za-z0-9])/dg],
  [
    'aws-secret',
    /(?:secret[_-]?(?:access[_-]?)?key|session[_-]?token)[\\"'\s:=>]{1,12}([A-Za-z0-9/+=]{40,})/dgi,
  ],
  // A digit makes it a token: `Bearer authentication` is none. After the header's name a capital does, too.
  ['bearer', /(?<![A-Za-z0-9])[Bb]earer\s{1,8}(?=[\w.~+-]{0,64}\d)([\w.~+-]{16,}[\w.~+/-]*=*)/dg],
  [
    'authorization',
    /[Aa]uthorization[^\w\0]{1,8}(?:[Bb]asic|[Bb]earer|[Tt]oken)\s{1,8}(?=[\w+/-]{0,64}(?:\d|[a-z][A-Z]))([\w.~+/-]{8,}=*)/dg,
  ],
  ['azure', /AccountKey=([A-Za-z0-9+/=]{40,})/dg],
  ['pypi', /(?<![A-Za-z0-9])pypi-[\w-]{50,}/dg],
  ['digitalocean', /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{40,}/dg],
  ['vault', /(?<![A-Za-z0-9])hv[sb]\.[\w-]{24,}/dg],
  ['telegram', /(?<![A-Za-z0-9])\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])/dg],
  // A token in the place of the user: a name is shorter, or has no digit.
  ['url-token', /:\/\/(?=[\w-]{0,80}\d)([\w-]{20,255})@/dg],
  // Known by the name that is given to it: a variable of the shell, a field of JSON, a header.
  ['variable', /(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY)=["']?([^\s"'`<>;&|\0]{6,})/dg],
  [
    'field',
    /(?:password|passwd|passphrase|api[_-]?key|client[_-]?secret|(?:access|auth|refresh)[_-]?token)"\s{0,4}:\s{0,4}"([^"\s\0]{6,})"?/dgi,
  ],
  ['api-key-header', /[Xx]-[Aa]pi-[Kk]ey["']?:\s{0,4}["']?([\w.-]{16,})/dg],
  ['curl-user', /(?:\s-u|--user)\s{1,4}["']?[\w.-]{1,64}:([^\s"'`\0]{4,})/dg],
  // Connection strings that name the password (JDBC, ADO.NET), and an .npmrc.
  ['parameter', /(?:[?&;](?:password|passwd|pwd)|:_(?:authToken|auth|password))=([^\s&;#"'`<>\0]+)/dgi],
]

/** Says where to find a secret, and is none: `${DB_PASSWORD}`, `{password}`, `$PASSWORD`, `%s`, `***`, our mask. */
const REFERENCE = /^(?:\$?\{{1,2}[\w.]*\}{1,2}|\$[A-Z_][A-Z\d_]*|%[A-Z_]*%|%s|\*+|\.{3}|…|\[redacted\])$/

function* findByPattern(kind: string, pattern: RegExp, content: string): Generator<Secret> {
  if (content.search(pattern) === -1) return // as nearly always; matchAll copies the pattern first
  for (const match of content.matchAll(pattern)) {
    const range = match.indices?.[1] ?? match.indices?.[0]
    if (range === undefined || REFERENCE.test(content.slice(...range))) continue
    yield { kind, start: range[0], end: range[1] }
  }
}

/** Begins at the middle: from the front, a run of `eyJeyJeyJ…` would be read again from every `eyJ`. */
const JWT = /\.eyJ(?<=(eyJ[\w-]{8,})\.eyJ)[\w-]{8,}\.[\w-]{16,}/g

function* findJwts(content: string): Generator<Secret> {
  for (const match of content.matchAll(JWT)) {
    const header = match[1] ?? ''
    yield { kind: 'jwt', start: match.index - header.length, end: match.index + match[0].length }
  }
}

/** `://user:` and whatever follows without white space, quotes or another `://`. */
const URL_WITH_COLON = /:\/\/([^\s:/?#@["'`<>\0]*):((?:(?!:\/\/)[^\s"'`<>\0])+)/g
const WEB = /(?:https?|wss?|ftps?)$/
const PORT = /^\d*(?:[/?#]|$)/

/**
 * `scheme://user:password@host`: user and password go, as either may be the token; the host stays. In a
 * DSN people write / ? # and @ as they are, so there the password ends at the last @. In a web address
 * these begin the path (`http://host:8080/a@b`), and so they do after a port.
 */
function* findUrlCredentials(content: string): Generator<Secret> {
  for (const { 1: user = '', 2: rest = '', index } of content.matchAll(URL_WITH_COLON)) {
    const strict = PORT.test(rest) || WEB.test(content.slice(Math.max(0, index - 5), index))
    const authority = strict ? (rest.split(/[/?#]/, 1)[0] ?? '') : rest
    const password = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
    if (password === '' || REFERENCE.test(password)) continue
    const start = index + '://'.length
    yield { kind: 'url-credentials', start, end: start + user.length + ':'.length + password.length }
  }
}

const KEY_LABEL = '(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----'
const KEY_BLOCK = new RegExp(
  String.raw`-----BEGIN ?${KEY_LABEL}([^-\0]*(?:-(?!----)[^-\0]*)*)(-----END ?${KEY_LABEL})?`,
  'g',
)
/** Prose that names the two markers holds no such run. */
const BASE64_RUN = /[A-Za-z0-9+/=]{32}/
const BASE64_LINES = /[A-Za-z0-9+/=]{16,}(?:[^A-Za-z0-9+/=\0]{1,8}[A-Za-z0-9+/=]{16,})*/y

/**
 * Private keys in PEM: the whole block; where a log was cut before its end, as far as lines of base64 go.
 * The preset's rule knows neither ENCRYPTED nor PGP, no block with headers, and none that was cut.
 */
function* findPrivateKeys(content: string): Generator<Secret> {
  for (const match of content.matchAll(KEY_BLOCK)) {
    const [whole, body = '', end] = match
    const run = body.search(BASE64_RUN)
    if (run === -1) continue
    const bodyAt = match.index + whole.length - body.length - (end?.length ?? 0)
    yield {
      kind: 'private-key',
      start: match.index,
      end: end === undefined ? endOfLines(content, bodyAt + run) : match.index + whole.length,
    }
  }
}

function endOfLines(content: string, start: number): number {
  BASE64_LINES.lastIndex = start
  BASE64_LINES.test(content)
  return BASE64_LINES.lastIndex
}
