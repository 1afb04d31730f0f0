// Tests the folder in which `npm run neo4j` puts the data of its servers.
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { dataFolder } from './started-server.ts'

test('two checkouts do not share the data folder of a server, nor do two versions of one checkout', () => {
  const folders = ['/one/turngraph', '/two/turngraph'].flatMap((checkout) => [
    dataFolder('lts', checkout),
    dataFolder('current', checkout),
  ])
  expect(new Set(folders).size).toBe(4)
})

test('the data of a server lies in the checkout that started it', () => {
  const checkout = fileURLToPath(new URL('../../', import.meta.url))
  expect(dataFolder('lts').startsWith(checkout)).toBe(true)
})
