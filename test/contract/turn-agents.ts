import { describe, expect, test } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { findingsOf } from './doctor.ts'
import { forgetAll } from './forget.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const PROMPT = `sha256:${'0'.repeat(64)}`
const COACH = { agent: 'strict coach', model: 'opus', promptDigest: PROMPT }
const PLAYER = { agent: 'claude-code', model: 'sonnet' }

const LINKS = parseStatement(
  'test',
  `MATCH (a:Agent)-[r:JUDGED|PLAYED]->(t)
RETURN a.key AS key, a.name AS name, a.model AS model, a.project AS project, type(r) AS type, t.key AS turn
ORDER BY a.key, type(r), t.key`,
)
const LOST = parseStatement(
  'test',
  "CREATE (:Agent {key: 'shop/lost/', project: 'shop', name: 'lost'}) RETURN 1 AS one",
)
const COUNT = parseStatement('test', 'MATCH (a:Agent) RETURN count(a) AS agents')

/** Judges and Players with names (contract: evidence.md, "Who may say what"). */
export function turnAgentsContract(store: StoreUnderTest): void {
  describe('named judges and players', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = (turnNumber: number, more: Partial<TurnToSend> = {}) =>
      client().captureTurnState(aTurn(turnNumber, { worldSlug: 'main', ...more }))
    const verification = { criterionId: 'AC-1', status: 'verified' as const, evidence: 'I ran it' }
    const linksIn = async (graph: Graph) =>
      (await graph.read(LINKS, {})).map(({ key, type, turn }) => `${key} ${type} ${turn}`)
    const countAgents = async (graph: Graph) => (await graph.read(COUNT, {}))[0]?.agents

    test('a turn is returned with its judge and its Player, and a verification with its own judge, as they were sent', async () => {
      const validator = { agent: 'validator' }
      const sent = { judge: COACH, player: PLAYER, verifications: [{ ...verification, judge: validator }] }
      const captured = await capture(1, sent)
      const read = await client().getTurn({ worldSlug: 'main', turnNumber: 1 })
      for (const turn of [captured, read]) {
        expect(turn).toMatchObject({ judge: COACH, player: PLAYER })
        expect(turn.verifications[0]?.judge).toEqual({ agent: 'validator', model: null, promptDigest: null })
      }
      expect((await capture(1, sent)).created).toBe(false)
      // A record that was read back is the same turn.
      const { acceptanceCriteriaStatus, ...again } = read
      expect((await client().captureTurnState(again)).created).toBe(false)
      await expect(capture(1, { ...sent, judge: { ...COACH, model: 'haiku' } })).rejects.toMatchObject({
        code: 'turn_conflict',
        details: { fields: ['judge'] },
      })
      const { judge, ...unjudged } = sent
      await expect(capture(1, unjudged)).rejects.toMatchObject({
        code: 'turn_conflict',
        details: { fields: ['judge'], stored: { judge: { agent: judge.agent } }, sent: {} },
      })
      await capture(2, unjudged)
      await expect(capture(2, sent)).rejects.toMatchObject({
        code: 'turn_conflict',
        details: { fields: ['judge'], stored: {}, sent: { judge: { agent: judge.agent } } },
      })
    })

    test('agents are nodes of their project, one for each name and model', async () => {
      await capture(1, { judge: COACH, player: PLAYER })
      await capture(2, {
        judge: { agent: 'strict coach', model: 'opus' },
        player: { agent: 'strict coach', model: 'opus' },
        verifications: [{ ...verification, judge: { agent: 'a/b' } }],
      })
      expect(await linksIn(handles.graph)).toEqual([
        'shop/a%2Fb/ JUDGED shop/main/2',
        'shop/claude-code/sonnet PLAYED shop/main/1',
        'shop/strict coach/opus JUDGED shop/main/1',
        'shop/strict coach/opus JUDGED shop/main/2',
        'shop/strict coach/opus PLAYED shop/main/2',
      ])
      expect((await handles.graph.read(LINKS, {}))[1]).toMatchObject({
        name: 'claude-code',
        model: 'sonnet',
        project: PROJECT,
      })
      expect(await findingsOf(handles.graph)).toEqual([])
    })

    test('the judge of an added verification is linked to the turn once, and stays a part of the addition', async () => {
      await capture(1)
      const added = { featureId: FEATURE, taskId: TASK, verifications: [{ ...verification, judge: COACH }] }
      const answer = await client().addVerifications(added)
      expect(answer.verifications[0]?.judge).toEqual(COACH)
      expect((await client().addVerifications(added)).added).toBe(0)
      await client().addVerifications({
        ...added,
        verifications: [{ ...verification, criterionId: 'AC-2', judge: COACH }],
      })
      expect(await linksIn(handles.graph)).toEqual(['shop/strict coach/opus JUDGED shop/main/1'])
      expect(await findingsOf(handles.graph)).toEqual([])
    })

    test('a turn without names creates no agent and has neither field', async () => {
      const turn = await capture(1, { verifications: [verification] })
      expect([turn.judge, turn.player, turn.verifications[0]?.judge]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
      expect(await countAgents(handles.graph)).toBe(0)
    })

    test('the doctor reports an agent that no turn names, with each label that could own it once', async () => {
      await handles.graph.write([{ statement: LOST, params: {} }])
      expect(await findingsOf(handles.graph)).toMatchObject([
        { check: 'unattached', key: 'shop/lost/', found: 'it hangs on no Turn or SupersededTurn' },
      ])
    })

    test('a replaced record keeps its agents, and the new record has its own', async () => {
      await capture(1, { judge: COACH })
      await capture(1, { judge: { agent: 'other' }, onConflict: 'supersede' })
      expect(await linksIn(handles.graph)).toEqual([
        'shop/other/ JUDGED shop/main/1',
        'shop/strict coach/opus JUDGED shop/main/1~1',
      ])
    })

    const added = (verifications: TurnToSend['verifications']) =>
      client().addVerifications({
        ...{ featureId: FEATURE, taskId: TASK },
        verifications: (verifications ?? []).map((each) => ({ ...verification, ...each })),
      })
    const judgesOf = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...verification,
        criterionId: `AC-${first + i}`,
        judge: { agent: `judge ${first + i}` },
      }))
    const countLinks = async (turn: string) =>
      (await linksIn(handles.graph)).filter((link) => link.endsWith(` JUDGED ${turn}`)).length

    test('additions link at most 50 judges to a turn, and the doctor finds nothing', async () => {
      await capture(1, { judge: COACH, player: PLAYER, verifications: judgesOf(1, 30) })
      await added(judgesOf(25, 15))
      await added(judgesOf(38, 10))
      expect(await countLinks('shop/main/1')).toBe(48)
      await added(judgesOf(48, 30))
      expect(await countLinks('shop/main/1')).toBe(50)
      await added([{ ...verification, judge: COACH }])
      await capture(2, { verifications: judgesOf(1, 70) })
      expect(await countLinks('shop/main/2')).toBe(50)
      expect(await findingsOf(handles.graph)).toEqual([])
    })

    test('the doctor finds nothing after additions, replacements, a rollback and a restore', async () => {
      await capture(1, { judge: COACH, player: PLAYER, verifications: judgesOf(1, 45) })
      await added(judgesOf(46, 10))
      await capture(1, { judge: { agent: 'other' }, onConflict: 'supersede' })
      await added([{ ...verification, judge: { agent: 'late' } }, ...judgesOf(50, 8)])
      await capture(1, { judge: { agent: 'third' }, onConflict: 'supersede' })
      await capture(2, { player: PLAYER })
      await added([{ ...verification, judge: { agent: 'late' } }])
      await client().rollbackWorld({ worldSlug: 'main', toTurn: 1 })
      expect(await findingsOf(handles.graph)).toEqual([])
      await capture(2, { player: { agent: 'another' } })
      await added([{ ...verification, judge: COACH }])
      expect(await findingsOf(handles.graph)).toEqual([])
      const lines = await exportOf(handles.graph)
      const restored = await handles.open(() => store.open())
      try {
        await restoreLines(restored, lines)
        expect(await findingsOf(restored)).toEqual([])
      } finally {
        await restored.close()
      }
    })

    test('the context and the explanation of a turn name the judge only for the Coach, and the text for the Player stays the same', async () => {
      await capture(1, { verifications: [verification], coachFeedback: 'Round half to even' })
      const player = async () => {
        const { context, prior } = await client().loadTurnContinuationContext(aContext(2, { role: 'player' }))
        return { context, prior }
      }
      const before = await player()
      await capture(1, {
        verifications: [{ ...verification, judge: { agent: 'validator' } }],
        coachFeedback: 'Round half to even',
        judge: COACH,
        player: PLAYER,
        onConflict: 'supersede',
      })
      expect(await player()).toEqual({ context: before.context, prior: { ...before.prior, player: PLAYER } })
      const coach = await client().loadTurnContinuationContext(aContext(2, { role: 'coach' }))
      expect(coach.prior?.judge).toEqual(COACH)
      const why = (role: 'coach' | 'player') => client().explainTurn({ worldSlug: 'main', turn: 1, role })
      expect((await why('coach')).judge).toEqual(COACH)
      expect((await why('player')).judge).toBeUndefined()
    })

    test('an export has the names, and a restore creates the same agents', async () => {
      await capture(1, { judge: COACH, player: PLAYER })
      await capture(1, { judge: { agent: 'other' }, player: PLAYER, onConflict: 'supersede' })
      await capture(2, { verifications: [{ ...verification, judge: { agent: 'validator', model: 'm' } }] })
      const added = [{ ...verification, judge: { agent: 'late' } }]
      await client().addVerifications({ featureId: FEATURE, taskId: TASK, verifications: added })
      const lines = await exportOf(handles.graph)
      const links = await linksIn(handles.graph)
      const restored = await handles.open(() => store.open())
      try {
        await restoreLines(restored, lines)
        expect(await exportOf(restored)).toEqual(lines)
        expect(await linksIn(restored)).toEqual(links)
        expect(await findingsOf(restored)).toEqual([])
      } finally {
        await restored.close()
      }
    })

    test('forgetting a world deletes the agents that no other turn names', async () => {
      await capture(1, { judge: COACH, player: PLAYER })
      await capture(1, { judge: { agent: 'other' }, player: PLAYER, onConflict: 'supersede' })
      await client().captureTurnState(aTurn(1, { worldSlug: 'kept', player: PLAYER }))
      const { counts } = await forgetAll(handles.graph, { worldSlug: 'main' })
      expect(counts.Agent).toBe(2)
      expect(await linksIn(handles.graph)).toEqual(['shop/claude-code/sonnet PLAYED shop/kept/1'])
      await forgetAll(handles.graph, { worldSlug: 'kept' })
      expect(await countAgents(handles.graph)).toBe(0)
    })

    test('names of any form are stored up to the maximum length, and longer ones are rejected with the name of the field', async () => {
      const longest = '/%é'.repeat(85)
      await capture(1, { judge: { agent: longest, model: longest } })
      expect((await client().getTurn({ worldSlug: 'main', turnNumber: 1 })).judge?.agent).toBe(longest)
      const refused: [sent: Partial<TurnToSend>, field: string, message?: string][] = [
        [{ judge: { agent: 'x'.repeat(257) } }, 'judge.agent'],
        [{ judge: { agent: '' } }, 'judge.agent'],
        [{ judge: { agent: ' ' } }, 'judge.agent', 'has only blanks; name the agent'],
        [{ judge: { agent: 'a', model: '\u3000\u00a0' } }, 'judge.model', 'has only blanks; name the model'],
        [{ player: { agent: '  ' } }, 'player.agent', 'has only blanks; name the agent'],
        [{ player: { agent: 'a', model: ' ' } }, 'player.model', 'has only blanks; name the model'],
        [{ player: { agent: 'a', model: 'x'.repeat(257) } }, 'player.model'],
        [{ judge: { agent: 'a', promptDigest: '123' } }, 'judge.prompt_digest'],
        [{ verifications: [{ ...verification, judge: { agent: '' } }] }, 'verifications[0].judge.agent'],
      ]
      for (const [more, field, message = ''] of refused)
        await expect(capture(2, more)).rejects.toMatchObject({
          code: 'invalid_request',
          details: {
            problems: [
              {
                path: expect.stringMatching(
                  field.replace(/[[\].]/g, '\\$&').replace('prompt_digest', 'prompt_?[dD]igest'),
                ),
                message: expect.stringContaining(message),
              },
            ],
          },
        })
    })
  })
}
