import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { clientStore } from '../../src/client/transcript-store.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import { everyTurn, importedDump, reportsOf } from '../support/transcript-import.ts'
import { trajectory } from '../support/written-trajectory.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Trajectories in the graph (contract: doors.md, section 4). */
export function transcriptAtifContract(store: StoreUnderTest): void {
  describe('trajectories in ATIF', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const newFolder = () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-atif-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      return folder
    }
    const importFolder = (folder: string) =>
      importFiles(clientStore(client()), [folder], { project: PROJECT })

    test('a document becomes sessions with their agent, turns, calls, failures and tokens, without a word', async () => {
      const folder = newFolder()
      writeFileSync(path.join(folder, 'trajectory.json'), `${JSON.stringify(trajectory(), null, 2)}\n`)
      writeFileSync(path.join(folder, 'other.json'), '{"schema": "ATIF"}')
      expect(await importFolder(folder)).toMatchObject({
        sessions: 2,
        turns: 3,
        steps: 4,
        badLines: 0,
        unread: { '.json': 1 },
      })
      const shown = (await everyTurn(client())).map(({ turnId, sessionId, agent, pattern, errors }) => [
        turnId,
        sessionId,
        agent,
        pattern,
        errors,
      ])
      expect(shown).toEqual([
        ['trajectory-1:2', 'run-1', 'gemini-cli', 'read_file → run_shell', 1],
        ['trajectory-1:5', 'run-1', 'gemini-cli', 'delegate', 0],
        ['child:1', 'run-1/child', 'gemini-cli', 'search', 0],
      ])
      expect((await client().listCost({ by: 'model' })).items).toMatchObject([
        { name: 'gemini-x', inputTokens: 40, cacheReadTokens: 60, outputTokens: 7 },
        { name: 'gemini-y', inputTokens: 20, cacheReadTokens: 0, outputTokens: 3 },
      ])
      const { items } = await client().listTranscriptSteps({ sessionId: 'run-1', index: 0 })
      expect(items).toMatchObject([
        { tool: 'read_file', status: 'ok', isParallel: true },
        { tool: 'run_shell', status: 'error', error: 'Exit code 2\nthe shell broke' },
      ])
      const stored = [...(await importedDump(handles.graph)), ...(await reportsOf(client()))].join('\n')
      expect(stored).toContain('the shell broke')
      expect(stored).not.toMatch(/canary-[a-z-]+-word/)
    })

    test('importing again reads nothing, and a document that was written again replaces the old one', async () => {
      const file = path.join(newFolder(), 'trajectory.json')
      const whole = trajectory()
      const steps = whole.steps as object[]
      writeFileSync(file, JSON.stringify(trajectory({ steps: steps.slice(0, 3) }), null, 1))
      expect(await importFolder(file)).toMatchObject({ sessions: 2, turns: 2 })
      expect(await importFolder(file)).toMatchObject({ bytes: 0, turns: 2 })
      writeFileSync(file, JSON.stringify(whole, null, 1))
      expect(await importFolder(file)).toMatchObject({ sessions: 2, turns: 3, steps: 4 })
    })

    test('half a document waits, and steps that another trajectory continues count once', async () => {
      const folder = newFolder()
      const text = JSON.stringify(trajectory(), null, 1)
      const file = path.join(folder, 'a.json')
      writeFileSync(file, text.slice(0, -40))
      expect(await importFolder(folder)).toMatchObject({ bytes: 0, turns: 0 })
      writeFileSync(file, text)
      const steps = (trajectory().steps as object[]).map((step) => ({ ...step, is_copied_context: true }))
      const next = trajectory({ trajectory_id: 'trajectory-2', steps, subagent_trajectories: null })
      writeFileSync(path.join(folder, 'b.json'), JSON.stringify(next))
      expect(await importFolder(folder)).toMatchObject({ turns: 3, steps: 4 })
    })
  })
}
