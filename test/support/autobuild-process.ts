import { createTurngraphClient, type PlayerInput, runAutobuild } from '../../src/langchain/index.ts'
import { scriptedAgents } from './scripted-agents.ts'

/**
 * Runs the loop in a separate process, which kills itself in a turn: `autobuild-process.ts STORE [TURN]`.
 * Writes one line of JSON per event.
 */
const [store = '', killedIn = '0'] = process.argv.slice(2)
const client = createTurngraphClient({ store, project: 'shop' })
const agents = scriptedAgents()
const player = async (input: PlayerInput) => {
  if (input.turn === Number(killedIn)) process.kill(process.pid, 'SIGKILL')
  return agents.player.invoke(input)
}
const world = { featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: 'w', leaseTtlMs: 2_000 }
for await (const event of runAutobuild({
  coach: agents.coach,
  client,
  world,
  task: 'build it',
  player,
  maxTurns: 6,
})) {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}
await client.close()
