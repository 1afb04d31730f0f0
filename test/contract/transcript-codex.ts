import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { clientStore } from '../../src/client/transcript-store.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'
import { everyTurn, reportsOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import {
  context,
  event,
  exited,
  item,
  meta,
  output,
  placed,
  prompt,
  rolloutId,
  shell,
  tokens,
} from '../support/written-rollout.ts'
import { linesOf, type Written } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const S1 = rolloutId(1)
const S2 = rolloutId(2)
const T1 = rolloutId(11)
const T2 = rolloutId(12)

const WORKTREE = '/srv/shop/.guardkit/worktrees/TASK-1'

/** A session of two turns, with a failed command. */
const lines = (more: Written = {}): Written[] => [
  meta(S1, { cwd: WORKTREE, ...more }),
  event('task_started', { turn_id: T1 }),
  context(T1, { cwd: WORKTREE }),
  ...prompt('Fix it'),
  shell('c1'),
  output('c1', exited(1, 'it broke')),
  item('custom_tool_call', { name: 'apply_patch', input: 'x', call_id: 'c2' }),
  item('custom_tool_call_output', {
    call_id: 'c2',
    output: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nok',
  }),
  tokens([100, 60, 5], [100, 60, 5]),
  event('task_complete', { turn_id: T1 }),
  event('task_started', { turn_id: T2 }),
  ...prompt('And now'),
  shell('c3'),
  output('c3', exited(0)),
  tokens([300, 160, 8], [200, 100, 3]),
  tokens([300, 160, 8], [200, 100, 3]),
]

const fileName = (id: string): string => `rollout-2026-01-02T00-00-00-${id}.jsonl`

/** Transcripts of Codex in the graph (contract: doors.md, section 4). */
export function transcriptCodexContract(store: StoreUnderTest): void {
  describe('transcripts of Codex', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    const newFolder = () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-codex-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      return folder
    }
    const importFolder = (...folders: string[]) =>
      importFiles(clientStore(client()), folders, { project: PROJECT })
    const agents = async () => (await everyTurn(client())).map(({ sessionId, agent }) => [sessionId, agent])
    const lengths = async () => (await everyTurn(client())).map(({ turnId, length }) => [turnId, length])

    test('a rollout becomes a session with its agent, turns, calls, failures and tokens', async () => {
      const folder = path.join(newFolder(), '2026', '01', '02')
      mkdirSync(folder, { recursive: true })
      writeFileSync(path.join(folder, fileName(S1)), linesOf(placed(lines())))
      expect(await importFolder(folder)).toMatchObject({ sessions: 1, turns: 2, steps: 3, skippedFiles: 0 })
      expect(await everyTurn(client())).toMatchObject([
        {
          turnId: T1,
          sessionId: S1,
          agent: 'codex',
          kind: 'human',
          status: 'complete',
          pattern: 'exec_command → apply_patch',
          errors: 1,
          models: ['gpt-x-codex'],
          effort: 'high',
          inputTokens: 40,
          cacheReadTokens: 60,
          outputTokens: 5,
        },
        {
          turnId: T2,
          agent: 'codex',
          status: 'open',
          inputTokens: 100,
          cacheReadTokens: 100,
          outputTokens: 3,
        },
      ])
      expect((await client().listPaths({})).items).toMatchObject([{ pattern: 'exec_command: it broke' }])
      expect(await importFolder(folder)).toMatchObject({ bytes: 0, turns: 2 })
    })

    test('tokens by agent', async () => {
      await send(client(), S1, linesOf(placed(lines())))
      const claude = turn('a', ['Read']).map((record) =>
        record.type === 'assistant'
          ? {
              ...record,
              message: { ...Object(record.message), usage: { input_tokens: 7, output_tokens: 1 } },
            }
          : record,
      )
      await send(client(), sessionOf(1), linesOf(claude))
      const { items } = await client().listCost({ by: 'agent' })
      expect(items.map(({ name, inputTokens, turns }) => [name, inputTokens, turns])).toEqual([
        ['codex', 140, 2],
        ['claude-code', 7, 1],
      ])
    })

    test('a session that names no agent is one of Claude Code', async () => {
      await send(client(), sessionOf(1), linesOf(turn('a', ['Read'])))
      expect(await agents()).toEqual([[sessionOf(1), 'claude-code']])
    })

    test('parts that end within a line give the graph of the whole', async () => {
      const bytes = linesOf(placed(lines()))
      for (const share of [0.1, 0.35, 0.6, 0.85, 1])
        await send(client(), S1, bytes, { to: Math.floor(bytes.length * share) })
      const staged = await reportsOf(client())
      const costs = await client().listCost({ by: 'agent' })
      await send(client(), S1, bytes, { anew: true })
      expect(await reportsOf(client())).toEqual(staged)
      expect(await client().listCost({ by: 'agent' })).toEqual(costs)
      expect(costs.items).toMatchObject([{ inputTokens: 140, outputTokens: 8, turns: 2 }])
    })

    test('a rollout that moved to another folder continues there, and the newest file wins', async () => {
      const [first, second] = [newFolder(), newFolder()]
      const all = placed(lines())
      writeFileSync(path.join(first, fileName(S1)), linesOf(all.slice(0, 8)))
      await importFolder(first)
      copyFileSync(path.join(first, fileName(S1)), path.join(second, fileName(S1)))
      writeFileSync(path.join(second, fileName(S1)), linesOf(all))
      expect(await importFolder(second)).toMatchObject({ sessions: 1, turns: 2 })
      expect(await importFolder(first)).toMatchObject({ bytes: 0 })
      expect(await lengths()).toEqual([
        [T1, 2],
        [T2, 1],
      ])
    })

    test('a fork repeats the turns of its session, which are stored and counted once', async () => {
      const folder = newFolder()
      const fork = [meta(S2, { forked_from_id: S1 }), ...lines().slice(0, 11)].map((record) => ({
        ...record,
        timestamp: '2026-01-02T01:00:00.000Z',
      }))
      const own = placed(
        [event('task_started', { turn_id: rolloutId(13) }), ...prompt('Other'), shell('c9')],
        4_000,
      )
      writeFileSync(path.join(folder, fileName(S1)), linesOf(placed(lines())))
      writeFileSync(path.join(folder, fileName(S2)), linesOf([...fork, ...own]))
      expect(await importFolder(folder)).toMatchObject({ sessions: 2, turns: 3, mergedTurns: 1 })
      const { items } = await client().listCost({ by: 'agent' })
      expect(items).toMatchObject([{ name: 'codex', inputTokens: 140, turns: 2 }])
    })

    test('the thread of a subagent belongs to its session', async () => {
      const folder = newFolder()
      const spawn = item('function_call', { name: 'spawn_agent', arguments: '{}', call_id: 's1' })
      const answer = output('s1', JSON.stringify({ agent_id: S2, nickname: 'Ada' }))
      const source = { subagent: { thread_spawn: { parent_thread_id: S1, depth: 1 } } }
      writeFileSync(
        path.join(folder, fileName(S1)),
        linesOf(placed([meta(S1), ...prompt('Go'), spawn, answer])),
      )
      writeFileSync(
        path.join(folder, fileName(S2)),
        linesOf(placed([meta(S2, { source }), ...prompt('Look'), shell('c1')])),
      )
      await importFolder(folder)
      expect(await agents()).toEqual([
        [S1, 'codex'],
        [`${S1}/${S2}`, 'codex'],
      ])
      const { items } = await client().listTranscriptSteps({ sessionId: S1, index: 0 })
      expect(items).toMatchObject([{ tool: 'spawn_agent', agentId: S2 }])
    })

    test('a session in a worktree of a task is linked to its turns', async () => {
      const time = { startedAt: '2026-01-02T00:00:00Z', completedAt: '2026-01-02T01:00:00Z' }
      await client().captureTurnState(aTurn(1, { ...time }))
      await send(client(), S1, linesOf(placed(lines())))
      const { items } = await client().listCost({ by: 'task' })
      expect(items).toMatchObject([{ name: 'FEAT-1/TASK-1', inputTokens: 140 }])
    })
  })
}
