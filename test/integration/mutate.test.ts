import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from './http-start.ts'

test('npm run mutate removes its copy of the project if it is interrupted', async () => {
  const folder = newFolder()
  const child = spawn(process.execPath, ['--import', 'tsx', 'tools/mutate/main.ts', 'src/rules'], {
    env: { ...process.env, TMPDIR: folder },
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  const isCopied = () =>
    readdirSync(folder).some((name) => existsSync(path.join(folder, name, 'node_modules')))
  await expect.poll(isCopied, { timeout: 60_000 }).toBe(true)
  child.kill('SIGINT')
  expect(await exit).toEqual([1, null])
  expect(readdirSync(folder).filter((name) => name.startsWith('turngraph-mutate-'))).toEqual([])
})
