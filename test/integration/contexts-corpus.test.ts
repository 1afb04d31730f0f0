import { expect, test } from 'vitest'
import { groupByCause } from '../../src/rules/causes.ts'
import { useGraph } from '../contract/store.ts'
import { describeCorpus } from '../support/corpus.ts'
import { memory } from '../support/embedded-engines.ts'
import { importCorpus } from '../support/imported-corpus.ts'
import { strangeLines } from '../support/own-lines.ts'
import { clientOf } from '../support/records.ts'

const ROLES = ['player', 'coach'] as const
const POLICIES = ['sticky', 'fresh'] as const
/** A run takes every second session. The seed of the run decides which half. */
const HALF = Number(process.env.TURNGRAPH_TEST_SEED) % 2

type Client = ReturnType<typeof clientOf>

/** Reads every context of a session with its lists and counts, as of each of its turns. */
async function tellSession(
  client: Client,
  worldSlug: string,
  elsewhere: 'known' | 'off',
): Promise<unknown[]> {
  const { currentTurn } = await client.getWorld({ worldSlug })
  const told: unknown[] = []
  for (let turn = 1; turn <= currentTurn + 1; turn++) {
    for (const role of ROLES)
      for (const policy of POLICIES) {
        const asked = { worldSlug, currentTurn: turn, role, policy, elsewhere }
        const { context, criteria, promises, issues, stall } = await client.loadTurnContinuationContext(asked)
        const list = await client.listCriteria({ worldSlug, turn, role, policy })
        told.push([context, criteria, promises, issues, stall, list])
      }
  }
  return told
}

/** Reduces a text to its words. A text of several lines is indented, and its first line with words comes first. */
const words = (text: string | null): string => (text ?? '').replace(/\s+/gu, ' ').trim()

/** Finds texts of the prior turn that are missing in its context, although it has room for all. */
async function missingFacts(client: Client, worldSlug: string): Promise<string[]> {
  const missing: string[] = []
  const { items } = await client.listTurns({ worldSlug, limit: 500 })
  for (const { turnNumber, coachDecision, ...turn } of items) {
    for (const role of ROLES) {
      const asked = { worldSlug, currentTurn: turnNumber + 1, role, tokenBudget: 100_000 }
      const { context, criteria, omitted } = await client.loadTurnContinuationContext(asked)
      const blocking = turn.issues.filter(({ severity }) => severity === 'blocking')
      const facts = [
        `## Previous Turn Summary (Turn ${turnNumber})`,
        `**Coach decision**: ${coachDecision}`,
        ...[turn.playerSummary, turn.coachFeedback, turn.whatToTryNext, ...turn.blockersFound],
        ...[...turn.lessonsFromTurn, ...groupByCause(turn.issues).map(([{ description }]) => description)],
        ...groupByCause(blocking).flatMap(([{ suggestion }]) => suggestion ?? []),
        ...criteria.map(({ criterionId, text }) => (criterionId === '' ? text : criterionId)),
      ]
      const told = words(context)
      missing.push(...facts.filter((fact) => !told.includes(words(fact))).map((fact) => `${role}: ${fact}`))
      missing.push(...omitted.map(({ section }) => `${role}: omitted ${section}`))
      missing.push(...strangeLines(context ?? '').map((line) => `${role}: strange ${line}`))
    }
  }
  return missing
}

describeCorpus('contexts of real sessions', () => {
  const handles = useGraph(memory)

  test('keep every fact of the turn before, have no foreign line that looks like ours, and are the same if the project has only one session', {
    timeout: 600_000,
  }, async () => {
    for (const { name, undeclared } of (await importCorpus()).repositories) {
      const { client } = undeclared
      const worlds = (await client.listWorlds({ limit: 500 })).items.map(({ worldSlug }) => worldSlug)
      for (const worldSlug of worlds.sort().filter((_, i) => i % 2 === HALF)) {
        expect(await missingFacts(client, worldSlug), worldSlug).toEqual([])
        const alone = clientOf(handles.graph, `${name} ${worldSlug}`)
        for (const { key, id, ...turn } of (await client.listTurns({ worldSlug, limit: 500 })).items)
          await alone.captureTurnState({ ...turn, project: null })
        expect(await tellSession(alone, worldSlug, 'known'), worldSlug).toEqual(
          await tellSession(alone, worldSlug, 'off'),
        )
      }
    }
  })
})
