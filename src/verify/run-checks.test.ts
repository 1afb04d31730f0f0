import { expect, test } from 'vitest'
import { runChecks } from './run-checks.ts'

test('the evidence has no part of a secret that a cut of its command would leave', async () => {
  const secret = `ghp_${'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zCd7g'}`
  const argv = ['true', 'x'.repeat(170), secret]
  const options = { cwd: '.', timeoutMs: 60_000, jobs: 1, signal: new AbortController().signal }
  const [result] = await runChecks([{ argv, criteria: [{ criterionId: 'AC-1' }] }], {
    ...options,
    readTree: async () => null,
  })
  const [verification] = result?.verifications ?? []
  expect(verification?.evidence).toMatch(/^`true x+.*` exited with 0$/)
  expect(verification?.evidence).not.toContain(secret.slice(4, 12))
})
