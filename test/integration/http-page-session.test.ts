import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { newFolder, start, tokensFile } from './http-start.ts'

const codeFor = async (started: Awaited<ReturnType<typeof start>>, token = started.token) =>
  (await started.call('POST', '/v1/page-codes', { token })).body.code as string
const exchange = (started: Awaited<ReturnType<typeof start>>, code: string) =>
  started.call('POST', '/v1/page-sessions', { token: null, body: { code } })

test('a code signs in one browser once, and only a token can request one', async () => {
  const started = await start()
  expect((await started.call('POST', '/v1/page-codes', { token: null })).status).toBe(401)
  const code = await codeFor(started)
  const { status, body } = await exchange(started, code)
  expect(status).toBe(201)
  expect(body.token).not.toBe(started.token)
  expect((await started.call('GET', '/v1/worlds', { token: body.token })).status).toBe(200)
  expect((await started.call('GET', '/v1/worlds', { token: code })).status).toBe(401)
  const again = await exchange(started, code)
  expect([again.status, again.body.error.code]).toEqual([401, 'unauthorized'])
  for (const wrong of [{}, { code: '' }, { code: 7 }, { code, more: 1 }])
    expect((await started.call('POST', '/v1/page-sessions', { token: null, body: wrong })).status).toBe(400)
})

test('a code lasts a minute, a session twelve hours after its last request', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const started = await start()
    const late = await codeFor(started)
    vi.setSystemTime(Date.now() + 61_000)
    expect((await exchange(started, late)).status).toBe(401)
    const { token } = (await exchange(started, await codeFor(started))).body
    const isIn = async () => (await started.call('GET', '/v1/caller', { token })).status === 200
    for (let day = 0; day < 3; day++) {
      vi.setSystemTime(Date.now() + 11 * 3_600_000)
      expect(await isIn()).toBe(true)
    }
    vi.setSystemTime(Date.now() + 12 * 3_600_000 + 1)
    expect(await isIn()).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test('a session has exactly the rights of the token that requested its code', async () => {
  const file = tokensFile([{ name: 'reader', token: 'token-of-a-reader', scopes: ['read'], project: 'shop' }])
  const started = await start({ TURNGRAPH_TOKENS: file })
  const { token } = (await exchange(started, await codeFor(started, 'token-of-a-reader'))).body
  expect((await started.call('GET', '/v1/caller', { token })).body).toMatchObject({
    scopes: ['read'],
    project: 'shop',
  })
  expect((await started.call('DELETE', '/v1/worlds/w', { token })).status).toBe(403)
})

test('a session ends with its token, and a new token of that name does not revive it', async () => {
  const ci = { name: 'ci', token: 'a-token-that-leaked', scopes: ['read'] }
  const file = tokensFile([ci])
  const started = await start({ TURNGRAPH_TOKENS: file })
  const { token } = (await exchange(started, await codeFor(started, ci.token))).body
  const status = async (of: string) => (await started.call('GET', '/v1/caller', { token: of })).status
  expect(await status(token)).toBe(200)
  const renewed = { ...ci, token: 'a-token-made-anew', scopes: ['admin'] }
  writeFileSync(file, readFileSync(tokensFile([renewed])))
  await expect.poll(() => status(renewed.token), { timeout: 10_000 }).toBe(200)
  expect([await status(ci.token), await status(token)]).toEqual([401, 401])
})

test('no token of a removed file is accepted', async () => {
  const dataFolder = newFolder()
  const file = path.join(dataFolder, 'tokens.json')
  const other = { name: 'other', token: 'a-token-of-the-folder', scopes: ['read'] }
  writeFileSync(file, readFileSync(tokensFile([other])), { mode: 0o600 })
  const started = await start({}, { dataFolder })
  const status = async () => (await started.call('GET', '/v1/worlds', { token: other.token })).status
  expect(await status()).toBe(200)
  rmSync(file)
  await expect.poll(status, { timeout: 10_000 }).toBe(401)
})
