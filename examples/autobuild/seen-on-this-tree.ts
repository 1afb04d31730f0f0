// A Player claims that all tests pass, and a Coach believes it. With `verify`, the loop runs the tests itself.
// Run in the checkout, after `npm run build`: npx tsx examples/autobuild/seen-on-this-tree.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createTurngraphClient, runAutobuild } from 'turngraph/langchain'

const TEST = `import assert from 'node:assert/strict'
import { half } from './half.mjs'
assert.equal(half(4), 2)
`
const WRONG = 'export const half = (number) => number / 3\n'
const RIGHT = 'export const half = (number) => number / 2\n'

const criteria = [
  { criterionId: 'AC-001', text: '`node half.test.mjs` passes', command: ['node', 'half.test.mjs'] },
]

/** Claims success in every turn. Does the work only after it has got feedback. */
const playerIn =
  (folder: string) =>
  ({ context }: { context: string | null }) => {
    const isTold = context?.includes('exited with 1') === true
    writeFileSync(path.join(folder, 'half.mjs'), isTold ? RIGHT : WRONG)
    return {
      playerSummary: 'Wrote half(); all tests pass',
      playerDecision: 'implemented',
      promises: [{ criterionId: 'AC-001', status: 'complete', evidence: 'all tests pass' }],
    }
  }

/** Believes the Player: approves, and repeats its words. */
const coach = () => ({
  coachDecision: 'approved',
  verifications: [{ criterionId: 'AC-001', status: 'verified', evidence: 'all tests pass' }],
})

async function session(isSeen: boolean): Promise<void> {
  console.log(isSeen ? 'The loop runs the tests' : 'The Coach believes the Player')
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-example-'))
  writeFileSync(path.join(folder, 'half.test.mjs'), TEST)
  const client = createTurngraphClient({ store: 'embedded:memory' })
  const world = { featureId: 'FEAT-HALF', taskId: 'TASK-HALF-1' }
  const task = { text: 'A function that halves a number', criteria }
  const verify = isSeen ? { verify: { cwd: folder } } : {}
  const player = playerIn(folder)
  for await (const event of runAutobuild({ client, world, task, player, coach, maxTurns: 5, ...verify })) {
    if (event.type === 'seen')
      for (const { evidence } of event.commands) console.log(`  turn ${event.turn}: seen: ${evidence}`)
    if (event.type === 'captured') {
      const { criteria: states } = await client.listCriteria(world)
      const [state] = states
      const isContested = state?.contested != null
      console.log(
        `  turn ${event.turn}: ${event.record.coachDecision}; AC-001 is ${state?.state}, ${isContested ? 'contested' : state?.basis}`,
      )
    }
    if (event.type === 'finished')
      console.log(`  ${event.outcome} after ${event.turn} ${event.turn === 1 ? 'turn' : 'turns'}\n`)
  }
  await client.close()
  rmSync(folder, { recursive: true })
}

await session(false)
await session(true)
