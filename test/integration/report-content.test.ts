import { describe, expect, onTestFinished, test } from 'vitest'
import { renderReport } from '#report'
import { cutSession } from '../../src/cli/report/cut-session.ts'
import { readProjectReport, readSessionReport } from '../../src/cli/report/read-report.ts'
import { readSession } from '../../src/cli/report/read-session.ts'
import type { TurngraphClient } from '../../src/client/client.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { plant } from '../contract/doctor.ts'
import { JUDGED_WORLD, judgedTurns } from '../support/judged-session.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'

type WholeSession = Awaited<ReturnType<typeof readSession>>

async function openGraph(): Promise<EmbeddedGraph> {
  const graph = EmbeddedGraph.open({ folder: null })
  onTestFinished(() => graph.close())
  await migrate(graph)
  return graph
}

const openClient = async (): Promise<TurngraphClient> => clientOf(await openGraph())

describe('the content of a report', () => {
  test('a session that is deleted after it was listed is omitted, and does not end the report', async () => {
    const client = await openClient()
    for (const taskId of ['TASK-1', 'TASK-2']) await client.captureTurnState(aTurn(1, { taskId }))
    const deletesBetween: TurngraphClient = {
      ...client,
      async getWorld(asked, options) {
        if (asked.worldSlug === 'TASK-1') await client.deleteWorld({ project: PROJECT, worldSlug: 'TASK-1' })
        return client.getWorld(asked, options)
      },
    }
    const { sessions, details, cuts } = await readProjectReport(deletesBetween, PROJECT, 'coach')
    expect(sessions?.items.map(({ world_slug }) => world_slug)).toEqual(['TASK-2'])
    expect(details.map(({ world }) => world.world_slug)).toEqual(['TASK-2'])
    expect(cuts).toEqual([])
  })

  test('a damaged session is listed with the remedy, and does not end the report', async () => {
    const graph = await openGraph()
    const client = clientOf(graph)
    for (const taskId of ['TASK-1', 'TASK-2']) await client.captureTurnState(aTurn(1, { taskId }))
    await plant(graph, "MATCH (w:World {slug: 'TASK-1'}) SET w.state = 'damaged'")
    const { sessions, details, cuts } = await readProjectReport(client, PROJECT, 'coach')
    expect(sessions?.items.map(({ world_slug, outcome }) => [world_slug, outcome]).sort()).toEqual([
      ['TASK-1', 'damaged: run `turngraph doctor --repair`'],
      ['TASK-2', expect.any(String)],
    ])
    expect(details.map(({ world }) => world.world_slug)).toEqual(['TASK-2'])
    expect(cuts).toEqual([])
  })

  test('the file of a project does not exceed its limit, even if its matrices are mostly empty', async () => {
    const client = await openClient()
    const [sessions, turns] = [3, 30]
    for (let session = 1; session <= sessions; session++) {
      for (let turn = 1; turn <= turns; turn++) {
        const criterion = { criterionId: `AC-${turn}`, criterionText: `Part ${turn} answers` }
        const verifications = [{ ...criterion, status: 'verified' }]
        await client.captureTurnState(aTurn(turn, { taskId: `TASK-${session}`, verifications }))
      }
    }
    const whole = await readProjectReport(client, PROJECT, 'coach')
    expect(whole.details).toHaveLength(sessions)
    const mostBytes = Buffer.byteLength(renderReport(whole)) - 1
    const cut = await readProjectReport(client, PROJECT, 'coach', mostBytes)
    expect(cut.details).toHaveLength(sessions - 1)
    expect(cut.sessions?.items).toHaveLength(sessions)
    expect(cut.cuts.map(({ says }) => says)).toEqual(['In the list alone, the least active: 1 session'])
    expect(Buffer.byteLength(renderReport(cut))).toBeLessThanOrEqual(mostBytes)
  })

  test('only the newest 200 turns of a session are read', async () => {
    const client = await openClient()
    for (let turn = 1; turn <= 203; turn++) await client.captureTurnState(aTurn(turn))
    const read: number[] = []
    const watched: TurngraphClient = {
      ...client,
      async listTurns(asked, options) {
        const page = await client.listTurns(asked, options)
        read.push(...page.items.map(({ turnNumber }) => turnNumber))
        return page
      },
      getTurn(asked, options) {
        read.push(Number(asked.turnNumber))
        return client.getTurn(asked, options)
      },
    }
    const { turns } = await readSession(watched, { project: PROJECT, worldSlug: 'TASK-1' }, 'coach')
    expect(turns.map(({ turn_number }) => turn_number)).toEqual(Array.from({ length: 200 }, (_, i) => i + 4))
    expect(read.toSorted((a, b) => a - b)).toEqual(turns.map(({ turn_number }) => turn_number))
  })

  const LEFT_OUT = { part: 'criterion', text: 'AC-9', tokens: 5, reason: 'token_budget' } as const

  /** Extends each list and text of a session beyond the limits of a report. */
  function lengthen(session: WholeSession): WholeSession {
    const [criterion] = session.criteria.criteria
    if (criterion === undefined) throw new Error('the session has no criterion')
    const criteria = Array.from({ length: 203 }, (_, i) => ({ ...criterion, key: `key-${i}` }))
    return {
      ...session,
      criteria: { ...session.criteria, criteria },
      turns: session.turns.map((turn) => ({ ...turn, player_summary: 'long '.repeat(1_000) })),
      contexts: session.contexts.map((context) => ({
        ...context,
        sections: (context.sections ?? []).slice(0, 1).map((section) => ({
          ...section,
          omitted: Array.from({ length: 107 }, () => ({ ...LEFT_OUT })),
        })),
      })),
    }
  }

  test('the document for a Coach begins with the outcome and the summary of the session, and that for a Player with the counts', async () => {
    const client = await openClient()
    for (const turn of judgedTurns()) await client.captureTurnState(turn)
    const world = { project: PROJECT, worldSlug: JUDGED_WORLD }
    const { outcome, summary } = await client.getSessionSummary(world)
    const readHead = async (role: 'player' | 'coach') => {
      const html = renderReport(await readSessionReport(client, PROJECT, JUDGED_WORLD, role))
      return /<h1>.*?<\/header>/.exec(html)?.[0].replace(/<[^>]*>/g, '')
    }
    expect(await readHead('coach')).toBe(`${JUDGED_WORLD}${outcome}: ${summary.replaceAll('`', '')}`)
    expect(await readHead('player')).toContain('1 of 3 proven')
  })

  test("a Player's report names no command that shows content of the Coach", async () => {
    const client = await openClient()
    for (const turn of judgedTurns()) await client.captureTurnState(turn)
    const commandsFor = async (role: 'player' | 'coach') => {
      const session = await readSession(client, { project: PROJECT, worldSlug: JUDGED_WORLD }, role)
      const { cuts } = cutSession(lengthen(session), role)
      return cuts.map(({ says, command }) => [says.replace(/\d+$/, ''), command])
    }
    const of = `${JUDGED_WORLD} --project shop`
    expect(await commandsFor('player')).toEqual([
      ['Left out, rows of the matrix: ', `turngraph criteria --world ${of} --role player --json`],
      ['Left out, ends of long texts: ', null],
      ['Left out, entries of what contexts left out: ', null],
    ])
    expect(await commandsFor('coach')).toEqual([
      ['Left out, rows of the matrix: ', `turngraph criteria --world ${of} --json`],
      ['Left out, ends of long texts: ', `turngraph worlds turns ${of} --json`],
      ['Left out, entries of what contexts left out: ', null],
    ])
  })

  test('omissions of contexts beyond the first hundred of a section are counted', async () => {
    const client = await openClient()
    for (const turn of judgedTurns()) await client.captureTurnState(turn)
    const session = await readSession(client, { project: PROJECT, worldSlug: JUDGED_WORLD }, 'player')
    const { cuts, contexts } = cutSession(lengthen(session), 'player')
    expect(contexts[0]?.sections?.[0]?.omitted).toHaveLength(100)
    expect(cuts.map(({ says }) => says)).toContain('Left out, entries of what contexts left out: 7')
  })
})
