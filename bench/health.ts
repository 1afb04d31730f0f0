// Measures `/healthz` during single requests of up to 1 MiB whose texts are slow for a pattern (hardening.md, section 3).
import { setTimeout as sleep } from 'node:timers/promises'
import { startServiceProcess, untilReady } from '../test/faults/harness/service-process.ts'
import { PUMPS, pumped } from '../test/support/pumps.ts'
import { inFolder, writeFigures } from './bench-folder.ts'

const TASK = { feature_id: 'FEAT-BENCH', turn_number: 1, player_summary: 'Done', on_conflict: 'supersede' }
const PAUSE_MS = 5

/** Texts of a request share 960,000 bytes: the service accepts 1 MiB. */
const textsOf = (pump: string, count: number): string[] => {
  const length = Math.floor((960_000 / count) * (pump.length / Buffer.byteLength(pump)))
  return Array.from({ length: count }, (_, i) => `${i} ${pumped(pump, Math.min(length, 60_000))}`)
}

type Request = { method: 'POST' | 'PUT'; path: string; body: object }

const REQUESTS: Readonly<Record<string, (pump: string, taskId: string) => Request>> = {
  'long texts': (pump, taskId) =>
    capture(taskId, {
      verifications: textsOf(pump, 8).map((text, i) => ({
        ...{
          criterion_id: `AC-${i}`,
          criterion_text: text,
          status: 'verified',
          evidence: text.slice(0, 50_000),
        },
      })),
    }),
  'many issues': (pump, taskId) =>
    capture(taskId, {
      issues: textsOf(pump, 900).map((description) => ({ severity: 'blocking', description })),
    }),
  'many criteria': (pump, taskId) =>
    capture(taskId, {
      verifications: textsOf(pump, 400).map((text, i) => ({
        criterion_id: `AC-${i}`,
        criterion_text: text,
        status: 'verified',
      })),
    }),
  'a refused turn': (pump, taskId) => capture(taskId, { player_summary: 5, extra: textsOf(pump, 10) }),
  'a specification': (pump, taskId) => ({
    ...{ method: 'PUT', path: '/v1/specification' },
    body: {
      feature_id: TASK.feature_id,
      task_id: taskId,
      criteria: textsOf(pump, 14).map((text) => ({ text })),
    },
  }),
}

const capture = (taskId: string, more: object): Request => ({
  ...{ method: 'POST', path: '/v1/turns' },
  body: { ...TASK, task_id: taskId, ...more },
})

/** Prints the longest answer of `/healthz` during each kind of request, and the text that caused it. */
export const benchHealth = ({ out }: { out: string }): Promise<void> =>
  inFolder(async (dataFolder) => {
    const service = await startServiceProcess({ dataFolder, environment: { TURNGRAPH_AUTH: 'off' } })
    try {
      await untilReady(service)
      const worst: Record<string, { ms: number; pump: string }> = {}
      for (const [name, requestOf] of Object.entries(REQUESTS)) {
        for (const [i, pump] of PUMPS.entries()) {
          const ms = await slowestHealth(service.url, requestOf(pump, `${name} ${i}`))
          if (ms > (worst[name]?.ms ?? 0)) worst[name] = { ms: Math.round(ms), pump }
        }
        console.log(`${name}: ${worst[name]?.ms} ms (${JSON.stringify(worst[name]?.pump)})`)
      }
      writeFigures(out, { requests: Object.keys(REQUESTS).length * PUMPS.length, worst })
    } finally {
      await service.stop()
    }
  })

async function slowestHealth(url: string, { method, path, body }: Request): Promise<number> {
  let isAnswered = false
  const answer = fetch(`${url}${path}`, {
    ...{ method, body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', 'turngraph-project': 'bench' },
  }).finally(() => {
    isAnswered = true
  })
  let slowest = 0
  while (!isAnswered) {
    const began = performance.now()
    await (await fetch(`${url}/healthz`)).text()
    slowest = Math.max(slowest, performance.now() - began)
    await sleep(PAUSE_MS)
  }
  const { status } = await answer
  if (status === 500) throw new Error(`${path} answered ${status}`)
  return slowest
}
