import { checkNeo4jShape, neo4jFor, serviceOnNeo4j } from '../harness/on-neo4j.ts'
import { type Place, plannedSummary, plannedTurn } from '../harness/planned-turn.ts'
import { Random } from '../harness/random.ts'
import { holds, inScope, type Scenario } from '../harness/scenario.ts'
import { type Exchange, sendTurn } from '../harness/send.ts'
import { partsFit } from '../harness/writer.ts'

/** Two replicas capture the same turn at the same moment: one of them stores it, and both report it. */
export const sameTurnTwice: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const random = new Random(seed)
    const url = await neo4jFor(options, later)
    const [one, other] = [await serviceOnNeo4j(url, later), await serviceOnNeo4j(url, later)]
    const project = `twice-${seed}-${Date.now()}`
    const figures = { rounds, equal: 0, different: 0, stored: 0 }
    for (let round = 1; round <= rounds; round++) {
      const equal = round % 2 === 0
      const place: Place = {
        project,
        featureId: 'FEAT-1',
        taskId: `TASK-${round}`,
        worldSlug: round % 4 < 2 ? `session-${round}` : null,
      }
      const turn = random.between(1, 3)
      const first = plannedTurn(place, { turn, revision: 1 })
      // Makes another record: the next revision, but as a plain capture.
      const { onConflict, ...changed } = plannedTurn(place, { turn, revision: 2 })
      const answers = await Promise.all([
        sendTurn(one.url, first),
        sendTurn(other.url, equal ? first : changed),
      ])
      checkAnswers(answers, equal, { round, place, turn })
      figures[equal ? 'equal' : 'different']++

      const winner = answers.findIndex(({ status }) => status === 201)
      const revision = equal || winner === 0 ? 1 : 2
      const { items: worlds } = await other.client.listWorlds({ project, taskId: place.taskId })
      holds(worlds.length === 1, 'a turn captured twice makes one world', { place, worlds })
      const { items: turns } = await one.client.listTurns({ project, worldSlug: worlds[0]?.worldSlug ?? '' })
      const [stored] = turns
      holds(
        turns.length === 1 && stored?.playerSummary === plannedSummary({ turn, revision }),
        'there is one record: the one that was answered 201',
        { answers, turns },
      )
      holds(partsFit({ turn, revision }, stored), 'the record is complete', stored)
      figures.stored += turns.length
      if (round % 50 === 0) log(`${round} turns captured twice at once`)
    }
    await checkNeo4jShape(url)
    return figures
  })

function checkAnswers(answers: readonly Exchange[], equal: boolean, about: object): void {
  const statuses = answers.map(({ status }) => status).sort()
  const expected = equal ? [200, 201] : [201, 409]
  holds(String(statuses) === String(expected), `the answers are ${expected.join(' and ')}`, {
    ...about,
    answers,
  })
  const refused = answers.find(({ status }) => status === 409)
  if (refused === undefined) return
  holds(refused.body.error.code === 'turn_conflict', 'another record is a turn_conflict', {
    ...about,
    refused,
  })
  const { fields } = refused.body.error.details
  holds(fields.includes('player_summary'), 'the conflict names the different fields', { ...about, refused })
}
