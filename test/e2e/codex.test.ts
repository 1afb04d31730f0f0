import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { EXIT } from '../../src/core/exit-codes.ts'
import { exited, meta, output, placed, prompt, rolloutId, shell } from '../support/written-rollout.ts'
import { linesOf } from '../support/written-transcript.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** The commands for a user of Codex. */

const S1 = rolloutId(1)
const S2 = rolloutId(2)
let home = ''
let shop = ''
let turngraph: ReturnType<typeof commandsOn>
const given = () => ({
  cwd: shop,
  environment: { CODEX_HOME: path.join(home, 'codex'), CLAUDE_CONFIG_DIR: path.join(home, 'claude') },
})
const run = (...args: string[]) => turngraph.run(args, given())
const hooks = () => path.join(home, 'codex', 'hooks.json')

beforeEach(() => {
  home = realpathSync(temporaryFolder())
  turngraph = commandsOn(home)
  shop = path.join(home, 'shop')
  mkdirSync(shop)
})

/** Writes a session of Codex that ran in a folder. */
function writeRollout(id: string, cwd: string): string {
  const folder = path.join(home, 'codex/sessions/2026/01/02')
  const file = path.join(folder, `rollout-2026-01-02T00-00-00-${id}.jsonl`)
  mkdirSync(folder, { recursive: true })
  const lines = [meta(id, { cwd }), ...prompt('Go'), shell(`call-${id}`), output(`call-${id}`, exited(0))]
  writeFileSync(file, linesOf(placed(lines)))
  return file
}

test('init imports the sessions of Codex that ran in the folder or below it, and no others', async () => {
  writeRollout(S1, shop)
  writeRollout(S2, path.join(shop, 'packages/cart'))
  writeRollout(rolloutId(3), `${shop}-other`)
  const { code, stdout } = await run('init', '--yes', '--no-serve')
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 transcripts.')])
  expect(stdout).toContain('2 turns of transcripts.')
  const again = JSON.parse((await run('init', '--yes', '--json')).stdout)
  expect(again).toMatchObject({ plan: { transcripts: 2, codex_files: 2 }, imported: { transcript_turns: 2 } })
})

test('import transcripts reads the sessions of Codex without a path, and cost shows the agent', async () => {
  writeRollout(S1, shop)
  expect(await run('import', 'transcripts')).toMatchObject({ code: 0 })
  expect(JSON.parse((await run('turns', '--min-length', '1', '--json')).stdout)).toMatchObject([
    { session_id: S1, agent: 'codex', pattern: 'exec_command' },
  ])
  expect((await run('cost', '--by', 'agent')).code).toBe(0)
})

test('export --session writes a trajectory that import reads back with the same calls', async () => {
  writeRollout(S1, shop)
  await run('import', 'transcripts')
  const file = path.join(home, 'trajectory.json')
  expect(await run('export', '--session', S1, '--out', file)).toMatchObject({ code: 0 })
  const document = JSON.parse(readFileSync(file, 'utf8'))
  expect(document).toMatchObject({ schema_version: 'ATIF-v1.7', session_id: S1, agent: { name: 'codex' } })
  expect(document.steps.map(({ message }: { message: string }) => message)).toEqual(['', ''])
  expect(await run('import', 'transcripts', file, '--project', 'other')).toMatchObject({ code: 0 })
  const { stdout } = await run('turns', '--min-length', '1', '--project', 'other', '--json')
  expect(JSON.parse(stdout)).toMatchObject([{ session_id: S1, agent: 'codex', pattern: 'exec_command' }])
  expect((await run('export', '--session', S1, '--pairs')).code).not.toBe(0)
})

test('the hooks of Codex import its session, and leave the rest of hooks.json as it was', async () => {
  const own =
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]\n  }\n}\n'
  mkdirSync(path.dirname(hooks()), { recursive: true })
  writeFileSync(hooks(), own)
  const install = ['hook', 'install', '--agent', 'codex', '--gate']
  expect(await turngraph.spawn(install, given())).toMatchObject({ code: 0 })
  const installed = JSON.parse(readFileSync(hooks(), 'utf8'))
  expect(Object.keys(installed.hooks)).toEqual(['Stop', 'SessionStart'])
  expect(installed.hooks.SessionStart).toMatchObject([
    { matcher: expect.stringContaining('startup'), hooks: [{ type: 'command', timeout: 10 }] },
  ])
  const transcript = writeRollout(S1, shop)
  const input = {
    session_id: S1,
    transcript_path: transcript,
    hook_event_name: 'Stop',
    cwd: shop,
    turn_id: 't',
  }
  const command = installed.hooks.Stop[1].hooks[0].command
  const stop = (more: object) =>
    execFileSync('/bin/sh', ['-c', command], {
      env: { ...process.env, ...given().environment },
      input: JSON.stringify({ ...input, ...more }),
      encoding: 'utf8',
    })
  expect(stop({})).toBe('')
  const stored = async (): Promise<{ session_id: string }[]> => {
    const { code, stdout } = await run('turns', '--min-length', '1', '--json')
    return code === EXIT.away.code ? [] : JSON.parse(stdout)
  }
  while ((await stored()).length < 1) await sleep(50)
  expect(await stored()).toMatchObject([{ session_id: S1 }])
  // Some versions of Codex name no transcript.
  writeRollout(S2, shop)
  expect(stop({ session_id: S2, transcript_path: null })).toBe('')
  while ((await stored()).length < 2) await sleep(50)
  expect((await stored()).map(({ session_id: id }) => id)).toContain(S2)
  expect(await run('hook', 'uninstall', '--agent', 'codex')).toMatchObject({ code: 0 })
  expect(readFileSync(hooks(), 'utf8')).toBe(own)
  expect(existsSync(path.join(home, '.claude'))).toBe(false)
})
