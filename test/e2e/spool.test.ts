import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTurngraphClient } from '../../src/client/create.ts'
import { commandsOn, temporaryFolder } from './command.ts'

const AWAY = 'http://127.0.0.1:1/'

/** Keeps turns in the default spool of the data folder, for a service that is away. */
async function spoolTurns(folder: string, ...turns: readonly object[]): Promise<void> {
  const spool = path.join(folder, 'spool')
  const client = createTurngraphClient({ url: AWAY, retries: 0, spool, log: () => {} })
  for (const turn of turns) {
    const given = {
      featureId: 'F',
      taskId: 'T',
      worldSlug: 'w',
      playerSummary: 'Built it',
      turnNumber: 1,
      ...turn,
    }
    await expect(client.captureTurnState(given)).rejects.toMatchObject({ details: { spooled: true } })
  }
  await client.close()
}

test('`spool list` and `spool send` report an empty spool, and do not change a folder that is no spool', async () => {
  const user = commandsOn(temporaryFolder())
  const list = await user.run(['spool', 'list'])
  expect(list).toEqual({
    code: 0,
    stdout: '',
    stderr: `Nothing waits in ${path.join(user.folder, 'spool')}.\n`,
  })
  expect(await user.run(['spool', 'send', '.'])).toMatchObject({ code: 0, stdout: '' })
  const { stdout } = await user.run(['spool', 'list', '.', '--json'])
  expect(JSON.parse(stdout).items).toEqual([])
})

test('`spool list` shows waiting captures, and `spool send` sends them to a service with a new address', async () => {
  const user = commandsOn(temporaryFolder())
  await spoolTurns(user.folder, { turnNumber: 1 }, { turnNumber: 2 })
  const { stdout } = await user.run(['spool', 'list', '--json'])
  expect(JSON.parse(stdout)).toEqual({
    folder: path.join(user.folder, 'spool'),
    items: [1, 2].map((turn_number) => ({
      file: `000000000000000${turn_number}.json`,
      status: 'waiting',
      address: AWAY,
      project: null,
      feature_id: 'F',
      task_id: 'T',
      world_slug: 'w',
      turn_number,
      reason: null,
    })),
  })
  const alone = await user.run(['spool', 'send'])
  expect(alone).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('There is no service to send the turns to.'),
  })

  await user.startService()
  const other = await user.run(['spool', 'send'])
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`wait for ${AWAY}`) })
  expect(other.stderr).toContain('turngraph spool send --moved')
  expect(await user.run(['spool', 'send', '--moved'])).toMatchObject({
    code: 0,
    stdout: '2 turns sent, 0 refused, 0 still waiting.\n',
  })
  expect((await user.run(['spool', 'list'])).stderr).toMatch(/^Nothing waits in /)
  expect(JSON.parse((await user.run(['worlds', '--json'])).stdout).items).toMatchObject([{ current_turn: 2 }])
})

test('`spool send` prints the reason of a rejected turn and keeps it, and sends the others', async () => {
  const user = commandsOn(temporaryFolder())
  const turn = {
    feature_id: 'F',
    task_id: 'T',
    world_slug: 'w',
    turn_number: 1,
    player_summary: 'Somebody else',
  }
  await user.run(['capture', '-'], { input: JSON.stringify(turn) })
  await spoolTurns(user.folder, { turnNumber: 1 }, { turnNumber: 1, taskId: 'T2', worldSlug: 'w2' })
  await user.startService()
  const sent = await user.run(['spool', 'send', '--moved', '--json'])
  expect(sent.code).toBe(8)
  expect(JSON.parse(sent.stdout)).toEqual({ sent: 1, refused: 1, waiting: 0 })
  expect(sent.stderr).toMatch(/^A spooled turn was refused \(.*turn 1.*\); it stays in .*refused\.\n/i)
  const { stdout } = await user.run(['spool', 'list'])
  expect(stdout).toMatch(/0000000000000001\.json\trefused\tF\tT\tw\t1\t\S/)
  const kept = path.join(user.folder, 'spool', 'refused', '0000000000000001.error.json')
  expect(JSON.parse(readFileSync(kept, 'utf8')).error.code).toBe('turn_conflict')
})
