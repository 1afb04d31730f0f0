import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/** The one test of the built command line in `npm test`; the others run in `npm test -- --all`. */
test('kill -9 of the service loses no turn, and the next command does not use the old address', async () => {
  const turngraph = commandsOn(temporaryFolder())
  const capture = (turnNumber: number) =>
    turngraph.spawn(['capture'], {
      input: JSON.stringify({
        feature_id: 'FEAT-1',
        task_id: 'TASK-1',
        turn_number: turnNumber,
        player_summary: `Did ${turnNumber}`,
      }),
    })
  const serverFile = path.join(turngraph.folder, 'server.json')

  const server = await turngraph.serve()
  expect(await capture(1)).toMatchObject({ code: 0 })
  server.child.kill('SIGKILL')
  await server.end
  expect(existsSync(serverFile)).toBe(true)

  const context = await turngraph.spawn(['context', '--feature', 'FEAT-1', '--task', 'TASK-1', '--turn', '2'])
  expect(context.stdout).toContain('Did 1')
  expect(await capture(2)).toMatchObject({ code: 0 })
  const next = await turngraph.serve()
  expect(JSON.parse(readFileSync(serverFile, 'utf8'))).toMatchObject({ pid: next.child.pid, url: next.url })
  const turns = await turngraph.spawn(['worlds', 'turns', 'TASK-1', '--json'])
  expect(JSON.parse(turns.stdout).items).toMatchObject([{ turn_number: 1 }, { turn_number: 2 }])
})
