// Runs a session of three turns that needs the memory to succeed, and the same session without the memory.
// Run in the checkout, after `npm run build`: npx tsx examples/autobuild/main.ts
import { createTurngraphClient, runAutobuild } from 'turngraph/langchain'
import { coach, player, task } from './agents.ts'

async function session(memory: boolean): Promise<void> {
  console.log(memory ? 'With the memory' : 'Without it')
  const client = createTurngraphClient({ store: 'embedded:memory' })
  const world = { featureId: 'FEAT-SHOP', taskId: 'TASK-SHOP-1' }
  for await (const event of runAutobuild({ client, world, task, player, coach, maxTurns: 5, memory })) {
    if (event.type === 'context')
      console.log(`  turn ${event.turn}, the ${event.role} is told: ${short(event.context)}`)
    if (event.type === 'captured') {
      const { playerSummary, coachDecision, coachFeedback } = event.record
      console.log(
        `  turn ${event.turn}: ${playerSummary} → ${coachDecision}${coachFeedback ? `: ${coachFeedback}` : ''}`,
      )
    }
    if (event.type === 'finished')
      console.log(`  ${event.outcome} after ${event.turn} ${event.turn === 1 ? 'turn' : 'turns'}\n`)
  }
  await client.close()
}

/** Shortens a context to the lines that matter in this example. */
function short(context: string | null): string {
  if (context === null) return 'nothing'
  const lines = context.split('\n').filter((line) => /✓|Feedback|recovered/.test(line))
  return lines.map((line) => line.replaceAll('*', '').trim()).join(' · ')
}

await session(true)
await session(false)
