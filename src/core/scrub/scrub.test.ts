import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECRET_KINDS, seeded, survivor } from '../../../test/support/secret-kinds.ts'
import { scrub } from './scrub.ts'

/**
 * Every secret here is assembled when the test runs and was never real, so that secret scanners do not reject
 * this file.
 */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** `length` characters that look random and are the same in every run. */
function noise(length: number, alphabet = ALPHABET): string {
  let state = length
  return Array.from({ length }, () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return alphabet[(state >> 8) % alphabet.length]
  }).join('')
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = [base64({ alg: 'HS256', typ: 'JWT' }), base64({ sub: 'player', iat: 1 }), noise(43)].join('.')

const pem = (label: string, lines: string[], newline = '\n'): string =>
  [
    `${'-'.repeat(5)}BEGIN ${label}${'-'.repeat(5)}`,
    ...lines,
    `${'-'.repeat(5)}END ${label}${'-'.repeat(5)}`,
  ].join(newline)
const KEY_LINES = [`MI${noise(62)}`, noise(64), noise(64), `${noise(22)}==`]
const privateKey = (kind: string): string => `${kind}PRIVATE ${'KEY'}`

/** Secrets that are masked as a whole. SECRET_KINDS has every other kind of token. */
const WHOLE: Record<string, string> = {
  'RSA key': pem(privateKey('RSA '), KEY_LINES),
  'EC key': pem(privateKey('EC '), KEY_LINES),
  'PKCS #8 key': pem(privateKey(''), KEY_LINES),
  'Ed25519 key of one line': pem(privateKey(''), [`MC4${noise(61)}`]),
  'OpenSSH key': pem(privateKey('OPENSSH '), [`b3BlbnNzaC1rZXktdjE${noise(45)}`, noise(70), noise(12)]),
  'encrypted key': pem(privateKey('ENCRYPTED '), KEY_LINES),
  'encrypted key with headers': pem(privateKey('RSA '), [
    'Proc-Type: 4,ENCRYPTED',
    `DEK-Info: AES-128-CBC,${noise(32, '0123456789ABCDEF')}`,
    '',
    ...KEY_LINES,
  ]),
  'PGP key': pem(`PGP ${privateKey('')} BLOCK`, [
    'Version: GnuPG v2',
    '',
    `lQ${noise(62)}`,
    noise(64),
    '=aB3d',
  ]),
  'key with escaped line breaks': pem(privateKey('RSA '), KEY_LINES, '\\n'),
  'key with line breaks escaped twice': pem(privateKey(''), KEY_LINES, '\\\\r\\\\n'),
  'GitHub personal token': `gh${'p_'}${noise(36)}`,
  'GitHub app token of the newer form': `gh${'s_'}123456_${jwt}`,
  'GitLab token': `gl${'pat-'}${noise(20)}`,
  'Slack webhook': `https://hooks.slack.com/${'services'}/T${noise(8)}/B${noise(8)}/${noise(24)}`,
  'SendGrid key with dashes': `SG${'.'}${noise(10)}-${noise(11)}.${noise(20)}-${noise(10)}_${noise(11)}`,
  'OpenAI project key of another length': `s${'k-proj-'}ab-${noise(40)}_-${noise(30)}`,
  JWT: jwt,
}

const password = noise(16)

/** Texts that are masked in part: the text before the secret, the secret, the text after it. */
const IN_PART: Record<string, [before: string, secret: string, after: string]> = {
  'Authorization header': ['Authorization: Bearer ', `${noise(20)}1${noise(20)}`, ''],
  'Authorization header with a JWT': ['"authorization": "Bearer ', jwt, '"'],
  'Authorization header with a token of base64': [
    'Authorization: Bearer ',
    `${noise(9)}/${noise(30)}+1=`,
    '',
  ],
  'basic Authorization header': ['-H "Authorization: Basic ', `${base64(password)}=`, '"'],
  'AWS secret': ['AWS_SECRET_ACCESS_KEY=', noise(40), ''],
  'AWS secret in JSON': ['{"SecretAccessKey": "', `${noise(39)}/`, '"}'],
  'AWS secret in JSON in a text': ['{\\"secretAccessKey\\": \\"', `${noise(20)}+${noise(19)}`, '\\"}'],
  'AWS secret of a command': ['aws configure set aws_secret_access_key ', `/${noise(39)}`, ' --profile x'],
  'AWS session token': ['aws_session_token = ', `${noise(300)}==`, ''],
  'GCP service account': [
    '{"type":"service_account","private_key":"',
    WHOLE['key with escaped line breaks']!,
    '\\n"}',
  ],
  'Azure storage key': ['AccountName=logs;AccountKey=', `${noise(86)}==`, ';EndpointSuffix=core'],
  'variable of the shell': ['export DB_PASSWORD=', password, ' && run'],
  'variable of libpq': ['PGPASSWORD=', password, ' psql'],
  'variable with a token': ['MY_SERVICE_API_KEY="', password, '"'],
  'field of JSON': ['{"user": "anna", "password": "', password, '"}'],
  'header of an API': ['X-Api-Key: ', `${noise(31)}1`, ''],
  'user of curl': ['curl -u admin:', password, ' http://localhost:8080/'],
  'user of curl behind other flags': ['curl -sSLu admin:', password, ' http://localhost:8080/'],
  'password of mysql in quotes': ["mysql -uroot -p'", password, "' app"],
  'web address with a token alone': ['https://', `${noise(39)}1`, '@github.com/a/b.git'],
  'npm login': ['//registry.npmjs.org/:_authToken=', `${noise(8)}-${noise(4)}-${noise(12)}`, ''],
  'JDBC password': ['jdbc:postgresql://db:5432/app?user=anna&password=', password, '&ssl=true'],
  'ADO.NET password': ['Server=db;User Id=anna;Password=', password, ';Encrypt=true'],
  'web address': ['https://', `anna:${password}`, '@example.com/path'],
  'web address with a token for a name': ['https://', `${noise(40)}:x-oauth-basic`, '@github.com/a/b.git'],
  'web address with a short password': ['http://', 'a:b', '@localhost:8080/c@d'],
  'web address with an @ in the password': ['https://', `anna:a@${password}`, '@example.com/@scope/pkg'],
  'password without a name': ['redis://', `:${password}`, '@cache:6379/0'],
  'password with an escaped character': ['mysql://', `app:a\\u0026${password}`, '@db/app'],
  'words that look like an example': ['postgres://', 'user:password', '@localhost/db'],
  'password in a default': ['postgres://', `app:\${PASSWORD:-${password}}`, '@db/app'],
  'query in HTML': ['<a href="/login?user=app&amp;password=', noise(12, 'abcdefgh'), '&amp;next=1">'],
  'value before the next parameter': ['connecting password=', password, ',user=app'],
  'value that ends with its own bracket': ['DB_PASSWORD=', `${password}(a)`, ''],
  'password with characters of paths': ['postgres://', `app:p/a?s#${password}@1`, '@db:5432/app'],
  ...Object.fromEntries(
    'postgresql postgresql+asyncpg mysql mariadb mongodb mongodb+srv rediss amqp amqps neo4j neo4j+s bolt'
      .split(' ')
      .map((scheme) => [`${scheme} DSN`, [`${scheme}://`, `app:${password}`, '@db.internal:1234/app?x=1']]),
  ),
}

const PLANTED: [name: string, before: string, secret: string, after: string][] = [
  ...Object.entries(WHOLE).map(([name, secret]): [string, string, string, string] => [name, '', secret, '']),
  ...Object.entries(IN_PART).map(([name, parts]): [string, string, string, string] => [name, ...parts]),
]

/** A record with one text in fields of every kind, and the number of its occurrences. */
const everywhere = (text: string) => ({
  playerSummary: text,
  coachFeedback: `First line.\n${text}\nLast line.`,
  blockersFound: ['none', text],
  verifications: [{ criterionId: 'AC-1', status: 'verified', evidence: `ran "${text}" twice` }],
  acceptanceCriteriaStatus: { [text]: 'verified', 'AC-2': 'pending' },
  extra: { deep: [{ er: { [`\u{1f511} ${text}`]: [null, 1, true, `\u{1f600}\u{1f600} ${text}`] } }] },
})

test('only the planted secrets are masked, in every kind of field', async () => {
  let masked = 0
  for (const [name, before, secret, after] of PLANTED) {
    const { scrubbed, redactions } = await scrub(everywhere(before + secret + after))
    expect(scrubbed, name).toEqual(everywhere(`${before}[redacted]${after}`))
    expect(redactions, name).toBe(7)
    masked++
  }
  console.log(`${masked} of ${PLANTED.length} planted secrets masked, in 7 places each`)
})

test('no part of any kind of secret remains in any field, for any random values', async () => {
  expect(new Set(SECRET_KINDS.map(({ name }) => name)).size).toBeGreaterThan(500)
  for (const seed of [1, 2]) {
    for (const { name, make } of SECRET_KINDS) {
      const { text, secret } = make(seeded(seed))
      const { scrubbed } = await scrub(everywhere(text))
      const left = JSON.stringify(scrubbed)
      expect(survivor(left, secret), `${name}: ${left}`).toBeNull()
      if (text.startsWith('The call used ') && !name.startsWith('hash of'))
        expect(scrubbed.playerSummary, name).toBe('The call used [redacted], and failed')
    }
  }
})

test('a value with quotes and spaces is masked as a whole if its name is a field', async () => {
  const { scrubbed } = await scrub({ extra: { db: { password: `a"b7 ${noise(6)}#c${noise(8)}; d` } } })
  expect(scrubbed).toEqual({ extra: { db: { password: '[redacted]' } } })
})

test('a key that was cut off is masked to the end of its lines', async () => {
  const cut = WHOLE['RSA key']!.split('\n').slice(0, 3).join('\n')
  const { scrubbed } = await scrub({
    playerSummary: `cat key.pem\n${cut}\n... and so on, see docs/deployment.md`,
  })
  expect(scrubbed.playerSummary).toBe('cat key.pem\n[redacted]\n... and so on, see docs/deployment.md')
})

test('a key that was cut off within a line is masked to its end', async () => {
  const cut = `${WHOLE['RSA key']!.split('\n').slice(0, 3).join('\n')}\n${noise(9)}`
  expect((await scrub({ playerSummary: cut, coachFeedback: 'x' })).scrubbed.playerSummary).toBe('[redacted]')
})

test('two keys without anything between them are one masked place', async () => {
  const { scrubbed, redactions } = await scrub({ playerSummary: `${WHOLE['RSA key']}${WHOLE['EC key']}` })
  expect([scrubbed.playerSummary, redactions]).toEqual(['[redacted]', 1])
})

test('a value whose quote is never closed is masked to the end of its line', async () => {
  const { scrubbed } = await scrub({ playerSummary: `it says password = "${password}\nand goes on` })
  expect(scrubbed.playerSummary).toBe('it says password = "[redacted]\nand goes on')
})

test('a key in a source file is masked with its quotes and plus signs', async () => {
  const key = WHOLE['EC key']!.split('\n').join("\\n' +\n  '")
  const { scrubbed } = await scrub({ playerSummary: `const key = '${key}'\nconst next = 1` })
  expect(scrubbed.playerSummary).toBe("const key = '[redacted]'\nconst next = 1")
})

describe('secrets known by the name of their field', () => {
  test.each([
    ['AWS_SECRET_ACCESS_KEY', noise(40), '[redacted]'],
    ['secretAccessKey', `${noise(39)}+`, '[redacted]'],
    ['Authorization', `Basic ${base64(password)}`, 'Basic [redacted]'],
  ])('%s', async (name, secret, masked) => {
    const { scrubbed, redactions } = await scrub({ extra: { [name]: secret } })
    expect(scrubbed).toEqual({ extra: { [name]: masked } })
    expect(redactions).toBe(1)
  })

  test('the text of another field is not the value of a name', async () => {
    const commit = noise(40, '0123456789abcdef')
    const record = {
      lessonsFromTurn: ['rotate the AWS_SECRET_ACCESS_KEY', commit, 'Authorization', `basic ${commit}`],
    }
    expect((await scrub(record)).scrubbed).toBe(record)
  })
})

test('a text with a comment that disables secretlint disables nothing', async () => {
  const secret = WHOLE['GitHub personal token']!
  const { redactions } = await scrub({ playerSummary: `secretlint-${'disable'}`, coachFeedback: secret })
  expect(redactions).toBe(1)
})

test('ordinary text is unchanged, and the same record is returned', async () => {
  const record = {
    commit: noise(40, '0123456789abcdef'),
    transcriptSessionIds: ['0f9c1b6e-5a1d-4c39-8f0e-3b7f0a8d2c11', noise(64, '0123456789abcdef')],
    filesModified: [
      'src/memory/capture/capture.ts',
      'C:\\new\\table\\record.ts',
      'packages/@scope/pkg/index.ts',
      '/@fs/a:b',
    ],
    coachFeedback: [
      'mail user@host, git@github.com:org/repo.git, ssh://git@github.com:org/repo@v1, a:b@c',
      'http://localhost:8080/a@b http://localhost:8080?a=b@c http://[::1]:8080/a@b https://example.com/@scope/pkg',
      'https://unpkg.com/react@18.3.1/umd:x@y postgres://localhost/db postgres://localhost:5432/db?mail=a@b',
      'bolt://localhost:7687 neo4j://db:7687/a@b file:///C:/a@b redis://cache:6379 https://user@example.com/a:b',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: how a shell says it
      'postgres://app:${DB_PASSWORD}@db amqp://app:$AMQP_PASSWORD@mq mysql://{user}:{password}@{host}:{port}/{db}',
      'https://user:<password>@example.com https://user:***@example.com https://[redacted]@example.com',
      'Bearer authentication, "Authorization: Bearer <token>", Authorization: Basic authentication, bearer token v2',
      `it begins with ${'-'.repeat(5)}BEGIN ${privateKey('')}----- and ends with -----END ${privateKey('')}-----`,
      `${'-'.repeat(5)}BEGIN CERTIFICATE${'-'.repeat(5)}\n${noise(64)}\n${'-'.repeat(5)}END CERTIFICATE${'-'.repeat(5)}`,
      'the tokens ghp_, github_pat_, sk-ant-..., xoxb-... and AKIA are refused; task-sk-1, sk-fading-circle',
      'secret_key = settings.SECRET_KEY; login(password="wrong"); ?password=<yours>; session_token=self.session_token',
      'session_key=turn-7 session_key=0f9c1b6e-5a1d-4c39-8f0e-3b7f0a8d2c11',
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
      'eyJ is how a JWT begins; a.b.c; 1.2.3; \u{1f600}\u{1f600}; \n\0\n; ":"',
    ],
    extra: {
      token: 'none',
      'password policy': 'at least 12 characters',
      tokens: 120_000,
      nothing: null,
      '': '',
    },
  }
  const before = structuredClone(record)
  const { scrubbed, redactions } = await scrub(record)
  expect(scrubbed).toEqual(before)
  expect(scrubbed).toBe(record)
  expect(redactions).toBe(0)
})

test('the identity of a record is never changed', async () => {
  const secret = WHOLE['GitHub personal token']!
  const place = { project: secret, featureId: secret, taskId: secret, worldSlug: secret }
  const record = { ...place, playerSummary: secret, extra: { project: secret } }
  const { scrubbed, redactions } = await scrub(record)
  expect(scrubbed).toEqual({ ...place, playerSummary: '[redacted]', extra: { project: '[redacted]' } })
  expect(redactions).toBe(2)
  const alone = { ...place, playerSummary: '' }
  expect((await scrub(alone)).scrubbed).toBe(alone)
})

test('the input is unchanged, values without secrets are not copied, and keys keep their order', async () => {
  const [secret, other] = [WHOLE['GitHub personal token']!, WHOLE['GitLab token']!]
  const record = {
    z: [secret],
    gates: { tests: 'passed' },
    a: { b: 1, [secret]: 2, [other]: 3, '[redacted]': 4, c: 5 },
  }
  const before = structuredClone(record)
  const { scrubbed } = await scrub(record)
  expect(record).toEqual(before)
  expect(scrubbed.gates).toBe(record.gates)
  expect(Object.keys(scrubbed)).toEqual(['z', 'gates', 'a'])
  // Entries whose keys become equal are kept.
  expect(Object.entries(scrubbed.a)).toEqual([
    ['b', 1],
    ['[redacted] (2)', 2],
    ['[redacted] (3)', 3],
    ['[redacted]', 4],
    ['c', 5],
  ])
})

test('a scrubbed record contains nothing to scrub', async () => {
  const once = await scrub(PLANTED.map(([, before, secret, after]) => before + secret + after))
  const twice = await scrub(once.scrubbed)
  expect(twice.scrubbed).toBe(once.scrubbed)
})

/** The text around a secret, which no rule counts as part of it. */
const edge = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\r\n',
  '"',
  "'",
  '`',
  '\\n',
  '\\t',
  '\\u001b[1;31m',
  '\u001b[0m',
  ' \u{1f600} ',
  '\n\0\n',
  '":"',
)
const edgeBefore = fc.oneof(
  edge,
  fc.constantFrom('=', '(', '**', '\\u2014', '\\x3d', '\\\\u0022', '\u{1f511}'),
)
const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const planted = fc.constantFrom(...PLANTED)

test('only the secret changes, at any place in a text', async () => {
  const property = fc.asyncProperty(
    fc.array(anyText, { maxLength: 5 }),
    fc.array(anyText, { maxLength: 5 }),
    fc.tuple(anyText, edgeBefore, planted, edge, anyText),
    async (earlier, later, [left, before, [, head, secret, tail], after, right]) => {
      // Without an edge, the text and the token would be one word.
      const [start, end] = [before === '' ? '' : left + before, after === '' ? '' : after + right]
      const record = [...earlier, start + head + secret + tail + end, ...later]
      const { scrubbed, redactions } = await scrub(record)
      expect(scrubbed).toEqual([...earlier, `${start}${head}[redacted]${tail}${end}`, ...later])
      expect(redactions).toBe(1)
    },
  )
  await fc.assert(property, { numRuns: 500 })
})

test('a record without secrets is returned as the same object', async () => {
  const record = fc.object({ key: anyText, values: [anyText, fc.integer(), fc.constant(null)], maxDepth: 3 })
  await fc.assert(
    fc.asyncProperty(record, async (held) => {
      const result = await scrub(held)
      expect(result.scrubbed).toBe(held)
      expect(result.redactions).toBe(0)
    }),
  )
})

/** Pieces of secrets, so that rules begin and end at every place of a text. */
const fragment = fc.oneof(
  fc.constantFrom(
    '\n\0\n',
    '\0',
    '":"',
    '://',
    'a:b@c',
    ':',
    '@',
    '@db/',
    '/',
    '\n',
    ' ',
    '"',
    '\\n',
    '\\',
    '=',
  ),
  fc.constantFrom(
    'Bearer ',
    'Authorization: Basic ',
    'aws_secret_access_key',
    '&password=',
    'eyJ',
    '.eyJ',
    '.',
  ),
  fc.constantFrom(
    ...WHOLE['RSA key']!.split('\n'),
    '-----',
    noise(16),
    noise(40),
    'postgres://',
    '\u{1f600}',
  ),
  planted.map(([, before, secret]) => before + secret),
  planted.map(([, , secret]) => secret.slice(0, secret.length / 2)),
  planted.map(([, , secret]) => secret.slice(secret.length / 2)),
)
const pieced = fc.array(fragment, { maxLength: 4 }).map((parts) => parts.join(''))

test('texts in one list are masked in the same way as separate texts', async () => {
  const property = fc.asyncProperty(fc.array(pieced, { minLength: 2, maxLength: 6 }), async (texts) => {
    const alone: string[] = []
    for (const text of texts) alone.push((await scrub(text.replaceAll('\0', ''))).scrubbed)
    expect((await scrub(texts.map((text) => text.replaceAll('\0', '')))).scrubbed).toEqual(alone)
  })
  await fc.assert(property, { numRuns: 500 })
})

test('many repetitions of a secret, whole or cut off, never take long', async () => {
  const took: [number, string][] = []
  for (const { name, make } of SECRET_KINDS) {
    const { text, secret } = make(seeded(1))
    const at = text.indexOf(secret)
    for (const unit of [text, text.slice(0, at + secret.length / 2), text.slice(0, at), secret.slice(0, 8)]) {
      if (unit === '') continue
      const start = performance.now()
      await scrub(unit.repeat(Math.ceil(2 ** 12 / unit.length)))
      took.push([performance.now() - start, name])
    }
  }
  const [slowest, name] = took.toSorted(([a], [b]) => b - a)[0]!
  // Each text takes some milliseconds. A pattern that is not linear takes seconds or minutes and runs into
  // the time-out.
  console.log(`slowest of all kinds, 4 KiB each: ${name}, ${slowest.toFixed(0)} ms`)
}, 60_000)
