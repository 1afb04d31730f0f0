// A LangGraph graph whose nodes are a Player and a Coach. Its checkpointer stores the state of the graph: the
// current node and the last outputs of the agents. Turngraph stores the proven criteria. After a kill, the
// same command continues with both.
// Run in the checkout, after `npm run build`: npx tsx examples/langgraph/main.ts FOLDER [NODE:TURN]
// With NODE:TURN the process kills itself after this node of this turn.
import path from 'node:path'
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { createTurngraphClient } from 'turngraph/langchain'
import * as z from 'zod'
import { coach, player, task } from '../autobuild/agents.ts'
import { FileSaver } from './file-saver.ts'

const [folder = '.langgraph', killedAt = ''] = process.argv.slice(2)
const world = { featureId: 'FEAT-SHOP', taskId: 'TASK-SHOP-1' }
const client = createTurngraphClient({ store: `embedded:${path.resolve(folder, 'memory')}` })

const promise = z.object({ criterion_id: z.string(), criterion_text: z.string(), status: z.string() })
const report = z.object({ player_summary: z.string(), promises: z.array(promise).default([]) })
const verification = promise.extend({ evidence: z.string() })
const judgement = z.object({
  coach_decision: z.string(),
  coach_feedback: z.string().nullish(),
  verifications: z.array(verification).default([]),
})

const Session = Annotation.Root({
  turn: Annotation<number>,
  report: Annotation<z.output<typeof report>>,
  judgement: Annotation<z.output<typeof judgement>>,
})
type State = typeof Session.State

const contextFor = async (role: 'player' | 'coach', turn: number) =>
  (await client.loadTurnContinuationContext({ ...world, currentTurn: turn, role })).context

async function play({ turn }: State) {
  const answer = await player.invoke({ context: await contextFor('player', turn), task, turn })
  return { report: report.parse(answer) }
}

async function judge({ turn, report }: State) {
  const context = await contextFor('coach', turn)
  return { judgement: judgement.parse(await coach.invoke({ context, task, turn, player: report })) }
}

/**
 * Captures the turn in a separate node. After a kill between the capture and its checkpoint, the node runs
 * again with the same record, which is stored once.
 */
async function record({ turn, report, judgement }: State) {
  await client.captureTurnState({
    ...world,
    turnNumber: turn,
    playerSummary: report.player_summary,
    promises: report.promises.map(criterionOf),
    coachDecision: judgement.coach_decision,
    coachFeedback: judgement.coach_feedback ?? null,
    verifications: judgement.verifications.map((given) => ({
      ...criterionOf(given),
      evidence: given.evidence,
    })),
  })
  return { turn: turn + 1 }
}

const criterionOf = ({ criterion_id, criterion_text, status }: z.output<typeof promise>) => ({
  criterionId: criterion_id,
  criterionText: criterion_text,
  status,
})

/** Wraps a node. Kills the process, if requested, after the work of the node and before its checkpoint. */
const node =
  <T>(name: string, work: (state: State) => Promise<T>) =>
  async (state: State): Promise<T> => {
    console.log(`turn ${state.turn}: ${name}`)
    const done = await work(state)
    if (killedAt === `${name}:${state.turn}`) process.kill(process.pid, 'SIGKILL')
    return done
  }

const graph = new StateGraph(Session)
  .addNode('play', node('play', play))
  .addNode('judge', node('judge', judge))
  .addNode('record', node('record', record))
  .addEdge(START, 'play')
  .addEdge('play', 'judge')
  .addEdge('judge', 'record')
  .addConditionalEdges('record', ({ judgement }) => (judgement.coach_decision === 'approved' ? END : 'play'))
  .compile({ checkpointer: new FileSaver(path.resolve(folder, 'checkpoints')) })

const thread = { configurable: { thread_id: world.taskId }, durability: 'sync' as const }
const isUnderWay = (await graph.getState(thread)).next.length > 0
await graph.invoke(isUnderWay ? null : { turn: 1 }, thread)

const { items } = await client.listTurns({ worldSlug: world.taskId })
for (const turn of items) console.log(`${turn.turnNumber}. ${turn.playerSummary} → ${turn.coachDecision}`)
await client.close()
