/** Tries that projects, tasks and worlds with names that look alike never see each other. */
import type { TurngraphClient } from '../../client/client.ts'
import { type Guarantee, requireThat } from '../guarantee.ts'
import type { Trial } from '../trial.ts'

/** Where joined names or prefixes of names would be taken for one another. */
const TASKS = [
  { featureId: 'a/b', taskId: 'c' },
  { featureId: 'a', taskId: 'b/c' },
  { featureId: 'a', taskId: 'b%2Fc' },
  { featureId: 'a', taskId: 'b' },
  { featureId: 'A', taskId: 'b' },
] as const
const PROJECTS = ['bleed', 'bleed_factory', 'bleed/a', 'bleed%2Fa']

type Place = { project: string; featureId: string; taskId: string; worldSlug: string; mark: string }

export const noBleed: Guarantee = {
  name: 'No bleed',
  promise: 'Two projects, tasks or worlds never see each other, whatever their names.',
  async run(trial) {
    const places = PROJECTS.flatMap((name) => placesIn(trial, name))
    for (const place of places) await captureMarked(trial.client, place)
    let answers = 0
    for (const place of places) {
      for (const answer of await askEverything(trial.client, place)) {
        const text = JSON.stringify(answer)
        const foreign = places.find(({ mark }) => mark !== place.mark && text.includes(mark))
        const seen = { asked: place, foreign }
        requireThat(foreign === undefined, 'an answer about one place holds nothing of another', seen)
        answers++
      }
      const own = await trial.client.listTurns({ project: place.project, worldSlug: place.worldSlug })
      requireThat(JSON.stringify(own).includes(place.mark), 'a place sees what is its own', place)
    }
    return { places: places.length, 'answers compared': answers }
  },
}

const placesIn = (trial: Trial, name: string): Place[] => {
  const project = trial.nameProject(name)
  return TASKS.map((task, i) => ({ ...task, project, worldSlug: `world-${i}`, mark: `mark<${name}:${i}>` }))
}

const captureMarked = (client: TurngraphClient, { mark, ...place }: Place) =>
  client.captureTurnState({
    ...place,
    turnNumber: 1,
    playerSummary: mark,
    coachDecision: 'feedback',
    coachFeedback: mark,
    verifications: [
      { criterionId: 'AC-1', criterionText: 'The lid closes', status: 'verified', evidence: mark },
    ],
    promises: [{ criterionId: 'AC-1', criterionText: 'The lid closes', status: 'complete', evidence: mark }],
    issues: [{ severity: 'blocking', description: mark }],
  })

/** All that a loop and its judges ask. */
async function askEverything(client: TurngraphClient, place: Place): Promise<unknown[]> {
  const { project, worldSlug, featureId, taskId } = place
  const task = { project, featureId, taskId }
  return [
    await client.loadTurnContinuationContext({ ...task, currentTurn: 2, role: 'coach' }),
    await client.loadTurnContinuationContext({ ...task, currentTurn: 2, role: 'player' }),
    await client.listCriteria({ ...task, role: 'coach' }),
    await client.recoverPromises({ ...task, turn: 2 }),
    await client.loadStall(task),
    await client.listIssues(task),
    await client.explainTurn(task),
    await client.getWorld({ project, worldSlug }),
    await client.listTurns({ project, worldSlug }),
    await client.listWorlds(task),
    await client.runAnalysis({ ...task, name: 'last-turn' }),
  ]
}
