import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { start } from './http-start.ts'

const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url))

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

/** Lists the assets of index.html, and their static imports. */
function firstLoad(): string[] {
  const document = readFileSync(path.join(BUILT, 'index.html'), 'utf8')
  const found = [...document.matchAll(/\/assets\/([\w.-]+)/g)].map(([, name]) => name!)
  for (const name of found) {
    const text = readFileSync(path.join(BUILT, 'assets', name), 'utf8')
    const imported = [...text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g)].map(([, other]) => other!)
    for (const other of imported) if (!found.includes(other)) found.push(other)
  }
  return found
}

describe('the page', () => {
  test('every address of a view returns the same document, with the policy and without a token', async () => {
    const { call } = await start()
    const built = readFileSync(path.join(BUILT, 'index.html'), 'utf8')
    const document = built.replace('{{auth}}', 'token')
    for (const address of [
      '/',
      '/p/a%2Fb',
      '/p/%E0%A4%A', // cannot be decoded; the page itself reports this
      '/p/a/w/b/t/3',
      '/p/a/runs',
      '/p/a/analyses/stalled',
      '/query',
      '/compare',
    ]) {
      const { status, headers, body } = await call('GET', address, { token: null })
      expect([status, headers.get('content-security-policy')]).toEqual([200, POLICY])
      expect(headers.get('cache-control')).toBe('no-cache')
      expect(body).toBe(document)
    }
  })

  test('an unknown address is the page for a browser, and JSON for a program', async () => {
    const { call } = await start()
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const shown = await call('GET', '/nothing/here', { headers: { accept }, token: null })
    expect([shown.status, shown.headers.get('content-security-policy')]).toEqual([404, POLICY])
    expect(shown.body).toContain('<div id="page">')
    for (const [address, headers] of [
      ['/nothing/here', {}],
      ['/nothing/here', { accept: 'application/json' }],
      ['/v1/nothing', { accept }],
    ] as const) {
      const { status, body } = await call('GET', address, { headers })
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
  })

  test('the files of the page are immutable by their hash, and compressed if the browser accepts it', async () => {
    const { service } = await start()
    for (const name of firstLoad()) {
      const zipped = await fetch(`${service.url}/assets/${name}`)
      expect(zipped.headers.get('content-encoding')).toBe('gzip')
      expect(zipped.headers.get('cache-control')).toContain('immutable')
      expect(zipped.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
      const plain = await fetch(`${service.url}/assets/${name}`, {
        headers: { 'accept-encoding': 'identity' },
      })
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(await plain.text()).toBe(await zipped.text())
    }
  })

  test('an unknown address is a JSON error', async () => {
    const { call } = await start()
    for (const address of ['/v1/nothing', '/nothing', '/p', '/assets/other.js', '/assets/..%2Findex.html']) {
      const { status, body } = await call('GET', address)
      expect([address, status, body.error?.code]).toEqual([address, 404, 'not_found'])
    }
  })

  test('TURNGRAPH_WEB=off disables the page', async () => {
    const { call } = await start({ TURNGRAPH_WEB: 'off' })
    const files = readdirSync(path.join(BUILT, 'assets'))
    for (const address of ['/', '/p/a', `/assets/${files[0]}`]) {
      expect((await call('GET', address)).status).toBe(404)
    }
    expect((await call('GET', '/v1/projects')).status).toBe(200)
  })

  test('the first load of the page is at most 100 KiB of script and style, compressed', () => {
    const sizes = firstLoad().map(
      (name) => gzipSync(readFileSync(path.join(BUILT, 'assets', name)), { level: 9 }).length,
    )
    const sum = sizes.reduce((all, size) => all + size, 0)
    expect(sum).toBeGreaterThan(5_000)
    expect(sum).toBeLessThanOrEqual(100 * 1024)
  })

  test('no file of it names another host, writes markup or evaluates text', () => {
    for (const name of readdirSync(path.join(BUILT, 'assets'))) {
      const text = readFileSync(path.join(BUILT, 'assets', name), 'utf8')
      const hosts = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([host]) => host)
      expect([name, hosts.filter((host) => host !== 'http://www.w3.org')]).toEqual([name, []])
      expect([name, /\beval\(|new Function\(|document\.write|insertAdjacentHTML/.test(text)]).toEqual([
        name,
        false,
      ])
    }
  })
})

describe('the caller', () => {
  test('GET /v1/caller returns the scopes of the token, and the project that it is limited to', async () => {
    const { call } = await start({ TURNGRAPH_PROJECT: 'shop' })
    const { body } = await call('GET', '/v1/caller')
    expect(body).toMatchObject({
      scopes: ['read', 'write', 'play', 'judge', 'observe', 'analyst', 'admin'],
      only_project: null,
      project: 'shop',
    })
    expect((await call('GET', '/v1/caller', { token: 'other' })).status).toBe(401)
  })
})
