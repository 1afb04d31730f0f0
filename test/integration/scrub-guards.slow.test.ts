import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { scrub } from '../../src/core/scrub/scrub.ts'
import { findSecrets } from '../../src/core/scrub/secrets.ts'
import { type Random, seeded } from '../support/secret-kinds.ts'

/** Texts that look random or mention secrets, but contain none. */

const HEX = '0123456789abcdef'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((length) => random(length, HEX)).join('-')

const LINES: readonly ((random: Random) => string)[] = [
  (random) => `md5 ${random(32, HEX)}  dist/index.js`,
  (random) => `${random(40, HEX)}  src/a.ts, sha1sum: ${random(40, HEX)}`,
  (random) => `sha256: ${random(64, HEX)} checksum=${random(64, HEX)}`,
  (random) => `"integrity": "sha512-${random(86, BASE64)}==",`,
  (random) => `<script src="x.js" integrity="sha384-${random(64, BASE64)}" crossorigin="anonymous"></script>`,
  (random) => `commit ${random(40, HEX)} (HEAD -> main)\nMerge: ${random(7, HEX)} ${random(7, HEX)}`,
  (random) => `index ${random(7, HEX)}..${random(7, HEX)} 100644`,
  (random) => `{"id": "${uuid(random)}", "session_id": "${uuid(random)}", "requestId": "${uuid(random)}"}`,
  (random) => `request_id=${uuid(random)} trace_id=${random(32, HEX)} span=${random(16, HEX)}`,
  (random) => `FROM node:20@sha256:${random(64, HEX)}`,
  (random) => `docker pull ghcr.io/acme/app@sha256:${random(64, HEX)} # ${random(12, HEX)}`,
  (random) => `resolved "https://registry.example.com/x/-/x-1.2.3.tgz#${random(40, HEX)}"`,
  (random) => `![x](data:image/png;base64,iVBORw0KGgo${random(300, BASE64)}==)`,
  (random) => `<img src="data:image/jpeg;base64,/9j/4AAQ${random(200, BASE64)}">`,
  (random) => `etag: W/"${random(32, HEX)}" cache key ${random(40, HEX)}`,
]

test('4,500 lines of hashes, ids, digests and images are not changed', async () => {
  const random = seeded(26)
  for (let i = 0; i < 300; i++) {
    for (const make of LINES) {
      const line = make(random)
      expect(await findSecrets(line), line).toEqual([])
    }
  }
})

test.each([
  'docker run --user 1000:1000 app',
  'docker run -u 1000:1000 app',
  'git push -u origin:main',
  'docker run -u app:staff app',
  'TOKEN=process.env.TOKEN',
  'const TOKEN = process.env.GITHUB_TOKEN',
  'SECRET_KEY=django.secretKey',
  'DB_PASSWORD=changeme ADMIN_PASSWORD=your-password-here',
  '"password": "string"',
  'password: str',
  'password: string,',
  'const token = getToken()',
  'const token = await this.tokens.next(1)',
  'Authorization: Bearer <token>',
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: how programs and shells say it
  'headers: { Authorization: `Bearer ${token}` }',
  'PASSWORD=${PASSWORD}',
  'DB_PASS=$DB_PASS npm start',
  'secret_key = os.environ["SECRET_KEY"]',
  'SECRET_KEY = os.getenv("SECRET_KEY", None)',
  'api_key: ${{ secrets.API_KEY }}',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: so far
  'Each entry is a key: value pair, the token: a word',
  '{"password": "Passwort", "token": "access_token", "secret": "my-secret-name"}',
  '{"password": "The password must have at least 12 characters and 1 digit"}',
  'type Login = { password: string; token?: Token | undefined }',
  'def login(user: str, password: str = "", api_key: Optional[str] = None)',
  'declare function setPrivateKey(privateKey: NodeJS.ArrayBufferView, signature: NodeJS.ArrayBufferView): void',
  'exports.isValidJWT = isValidJWT;',
  '{ regex: /a/, token: "variable-2" }',
  '{"pass": "ARIA-attributet stöds"}',
  'max_tokens=4096 tokens: 120_000 tokenCount=12',
  'the key is src/memory/capture/capture.ts:120, see key=value and pass=true',
  'expect(result.password).toBe(undefined); passes=12 pass: 14/14',
  'curl -H "Authorization: Bearer $TOKEN" -u "$USER:$PASSWORD" http://localhost:8080/',
  'http://localhost:PORT/@fs/a http://host:8080/a@b https://example.com:443/@scope/pkg',
  'Cookie: theme=dark; lang=en-US and Set-Cookie: id=…; Path=/; Max-Age=3600',
  '{"password": "/run/secrets/db_pw1", "secret": "secrets/db12.tpl", "client_secret": "~/keys/k1"}',
  'it ended with code: a1B2c3D4e5F6a7B8c9, sig: a1B2c3D4e5F6a7B8c9',
  '{"pass": "通过了12个测试，共14个"}',
  'const auth = auth_12.default',
  'see http://example.com:main/a@b, http://host:PORT/@fs/a, http://web:{port}/@id',
  'Set-Cookie: theme=dark; Domain=app1.example.com; Path=/area51/secrets',
  'Cookie: theme=darkestmode; lang=english-us',
  'Authorization: Bearer getToken2(request)',
  'Authorization: Basic authentication-required',
  'Bearer authentication-is-required-here, https://some-long-name-of-a-user@example.com/a',
  'call s.initializeConnectionPool here',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: how a shell says it
  "curl -u app:${APP_PASSWORD} http://localhost/; CREATE USER app IDENTIFIED BY '${DB_PASSWORD}'",
  `certificate-authority-data: ${Buffer.from(`-----BEGIN CERTIFICATE-----\n${'MIIC5zCCAc+gAwIBAgIBADANBg'.repeat(8)}`).toString('base64')}`,
  'figd_your-token-goes-here-please, sk_test_your_key_goes_here, postgres://app:%s@db/app',
  `sha256: 4b1d${'0123456789abcdef'.repeat(4).slice(4)}`,
  'monkey: a1B2c3D4e5F6a7B8c9D0 and compass=4f2a9c81',
  'idempotency_key=0f9c1b6e5a1d4c398f0e partitionKey: "a1B2c3D4e5F6a7B8c9"',
  'DB_PASSWORD="$(vault read -field=x1 secret/db)" npm start',
  'a hit of key=ab12cd34ef5 in the cache',
  '{"ticket_password": "base64EncodedTicket", "token": "usage$1", "secret": "sha256Digest"}',
  'sourcegraph and twitter: see commit 0123456789abcdef0123456789abcdef01234567',
  'KEY_PREFIX=turngraph CACHE_KEY=v1-linux-node20 primary_key=id sort_key=created_at_2024',
])('%s', async (text) => {
  expect((await scrub({ text })).redactions).toBe(0)
})

/** Packages whose tests and documents show secrets on purpose. */
const SHOWS_SECRETS =
  /(?:^|\/)(?:tests?|__tests__|fixtures|benchmarks?)\/|\.test\.|(?:^|\/)(?:pino|@pinojs\/redact)\//

test('fewer than 10 places of 6,000 source files are masked', async () => {
  const root = fileURLToPath(new URL('../../node_modules/', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:js|mjs|cjs|ts|json|md)$/.test(file) && !SHOWS_SECRETS.test(file))
    .filter((file) => {
      const found = statSync(path.join(root, file))
      return found.isFile() && found.size < 200_000
    })
    .sort()
  const step = Math.max(1, files.length / 6_000)
  const places: string[] = []
  let read = 0
  for (let at = 0; at < files.length; at += step) {
    const file = files[Math.floor(at)] ?? ''
    const text = readFileSync(path.join(root, file), 'utf8')
    read++
    for (const { kind, start, end } of await findSecrets(text)) {
      // An address with a password is a secret, regardless of its words.
      if (kind !== 'url-credentials') places.push(`${kind}: ${file}: ${text.slice(start - 40, end)}`)
    }
  }
  console.log(`${places.length} places of ${read} source files are masked\n${places.join('\n')}`)
  expect(read).toBeGreaterThan(1_000)
  expect(places.length, places.join('\n')).toBeLessThan(10)
})
