import type { TurngraphClient } from '../../../src/client/client.ts'
import { type TurnState, turnState } from '../../../src/memory/record/record.ts'
import { type Op, type Place, plannedSummary } from './planned-turn.ts'
import type { Random } from './random.ts'
import type { Reference } from './reference.ts'
import { same } from './same.ts'
import { holds } from './scenario.ts'
import { partsFit, type Writer } from './writer.ts'

export type Found = { landed: number; absent: number }

/**
 * Reads a writer's world back and checks it: every acknowledged record is stored exactly once and unchanged;
 * the record in flight is stored completely or not at all; there are no other records; and each context
 * equals that of the reference.
 */
export async function checkWorld(
  client: TurngraphClient,
  writer: Writer,
  reference: Reference,
  random: Random,
): Promise<Found> {
  const slug = slugOf(writer.place)
  const turns = await allTurns(client, writer.place)
  const found = settleInFlight(writer, turns)
  const expected = writer.standing().map(({ record }) => record)
  same(turns, expected, `${slug}: every acknowledged turn is there, once, word for word, and nothing else`)
  for (const { op, record } of writer.standing()) {
    holds(partsFit(op, record), 'a stored record is complete', { slug, op, record })
  }
  await reference.follow(writer)
  const newest = writer.currentTurn
  for (const turn of new Set([newest + 1, random.between(1, newest + 1), newest + 7])) {
    await checkContext(client, writer.place, reference, turn)
  }
  return found
}

/** Checks that every superseded record is kept exactly once. */
export async function checkHistories(client: TurngraphClient, writer: Writer): Promise<number> {
  const { project } = writer.place
  let kept = 0
  for (const { op } of writer.standing()) {
    if (op.revision === 1) continue
    const { items } = await client.getTurnHistory({
      project,
      worldSlug: slugOf(writer.place),
      turnNumber: op.turn,
      limit: 500,
    })
    const records = items.map((item) => turnState.parse(item))
    const expected = writer.replaced(op.turn).map(({ record }) => record)
    same(records.map(withoutKey), expected.map(withoutKey), 'every superseded record is kept, once')
    kept += items.length
  }
  return kept
}

/** Drops the key, which marks a superseded record: all other fields must be unchanged. */
const withoutKey = ({ key, ...record }: TurnState) => record

async function checkContext(
  client: TurngraphClient,
  { project, featureId, taskId, worldSlug }: Place,
  reference: Reference,
  currentTurn: number,
): Promise<void> {
  for (const role of ['player', 'coach'] as const) {
    // The reference has only one session of the project, so it cannot know others.
    const asked = { project, featureId, taskId, worldSlug, currentTurn, role, elsewhere: 'off' } as const
    const context = await client.loadTurnContinuationContext(asked)
    const expected = await reference.client.loadTurnContinuationContext(asked)
    same(context, expected, `the context of ${JSON.stringify(asked)} is right`)
  }
}

function settleInFlight(writer: Writer, turns: readonly TurnState[]): Found {
  const op = writer.inFlight
  if (op === null) return { landed: 0, absent: 0 }
  const stored = turns.find((turn) => isOf(op, turn))
  if (stored === undefined) return { landed: 0, absent: 1 }
  writer.land(stored)
  return { landed: 1, absent: 0 }
}

const isOf = (op: Op, record: TurnState): boolean =>
  record.turnNumber === op.turn && record.playerSummary === plannedSummary(op)

async function allTurns(client: TurngraphClient, place: Place): Promise<TurnState[]> {
  const turns: TurnState[] = []
  const scope = { project: place.project, worldSlug: slugOf(place), limit: 500 }
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<TurngraphClient['listTurns']>> = await client
      .listTurns({ ...scope, cursor })
      .catch((error: { code?: string }) => {
        if (error.code === 'unknown_world') return { items: [], nextCursor: null } // no turn is stored yet
        throw error
      })
    turns.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return turns
}

/** Returns the slug of a place. The default world of a task has the name of the task. */
export const slugOf = ({ worldSlug, taskId }: Place): string => worldSlug ?? taskId
