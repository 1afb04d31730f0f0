// A Coach forgets a criterion; the memory does not. Runs a session without declared criteria and one with
// them.
// Run in the checkout, after `npm run build`: npx tsx examples/autobuild/forgetful-coach.ts
import { createTurngraphClient, runAutobuild } from 'turngraph/langchain'

const criteria = [
  { criterionId: 'AC-001', text: 'Unknown products are answered with 404' },
  { criterionId: 'AC-002', text: 'Every answer names its request id' },
  { criterionId: 'AC-003', text: 'A sold out product cannot be ordered' },
]

/** The criteria that the Coach remembers. */
const REMEMBERED = ['AC-001', 'AC-002']

/** Judges one criterion per turn. Approves if none is left that it remembers or that its context names. */
function coach({ context }: { context: string | null }) {
  const told = /\*\*Not judged so far\*\*: (.*)/.exec(context ?? '')?.[1]?.split(', ') ?? []
  const isOpen = (id: string) => context?.includes(`✓ ${id}: verified`) !== true
  const [id = '', ...left] = [...new Set([...REMEMBERED, ...told])].filter(isOpen)
  const text = criteria.find(({ criterionId }) => criterionId === id)?.text
  return {
    coachDecision: left.length === 0 ? 'approved' : 'feedback',
    coachFeedback: left.length === 0 ? null : `Still to be looked at: ${left.join(', ')}`,
    verifications: [
      { criterionId: id, criterionText: text, status: 'verified', evidence: `its test passes` },
    ],
  }
}

async function session(isDeclared: boolean): Promise<void> {
  console.log(isDeclared ? 'The task declares what must hold' : 'Nothing is declared')
  const client = createTurngraphClient({ store: 'embedded:memory' })
  const world = { featureId: 'FEAT-SHOP', taskId: 'TASK-SHOP-1' }
  const task = { text: 'A shop that answers, logs and refuses', ...(isDeclared && { criteria }) }
  const player = () => ({ playerSummary: 'Built the shop', playerDecision: 'implemented' })
  for await (const event of runAutobuild({ client, world, task, player, coach, maxTurns: 5 })) {
    if (event.type === 'captured') {
      const { verified, total, criteria } = await client.listCriteria(world)
      const neverJudged = criteria.filter(({ judged }) => judged === false)
      const left = neverJudged.map(({ criterionId }) => `, ${criterionId} was never judged`).join('')
      console.log(
        `  turn ${event.turn}: ${event.record.coachDecision}; ${verified} of ${total} verified${left}`,
      )
    }
    if (event.type === 'finished')
      console.log(`  ${event.outcome} after ${event.turn} ${event.turn === 1 ? 'turn' : 'turns'}\n`)
  }
  await client.close()
}

await session(false)
await session(true)
