import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/** Reads the lines that a command prints. */
function linesOf(user: ReturnType<typeof commandsOn>, ...args: string[]) {
  const child = user.start(args)
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('the command has no output')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    until: async (shown: RegExp): Promise<string> => {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`the command ended with ${await ended}`)
        if (shown.test(value)) return value
      }
    },
    interrupt: async () => {
      child.kill('SIGINT')
      return ended
    },
  }
}

const task = ['--feature', 'FEAT-1', '--task', 'TASK-1']

test('tail prints lines for people, or JSON lines with cursors, and Ctrl+C ends it with 130', async () => {
  const user = commandsOn(temporaryFolder())
  await user.startService()
  const capture = (turn: number) =>
    user.run(['capture', '-'], {
      input: JSON.stringify({
        feature_id: 'FEAT-1',
        task_id: 'TASK-1',
        turn_number: turn,
        player_summary: 'Built it',
        coach_decision: 'approved',
      }),
    })
  await user.run(['worlds', 'create', ...task])
  const watch = linesOf(user, 'tail', '--json', '--snapshot')
  const tail = linesOf(user, 'tail')
  expect(JSON.parse(await watch.until(/"world_slug":"TASK-1"/))).toMatchObject({
    current_turn: 0,
    cursor: null,
  })
  await capture(1)
  const told = JSON.parse(await watch.until(/"current_turn":1/))
  expect(told).toMatchObject({
    type: 'session',
    decision: 'approved',
    cursor: expect.stringMatching(/^\d+$/),
  })
  // It may have started after the first turn. It prints each later one.
  let turn = 2
  const seen = tail.until(/^\d\d:\d\d:\d\d {2}TASK-1 {2}turn \d+ {2}approved {2}0\/0 proven/)
  while ((await Promise.race([seen, capture(turn).then(() => null)])) === null) turn++
  expect(await watch.interrupt()).toBe(130)
  expect(await tail.interrupt()).toBe(130)
  await capture(turn + 1)
  const back = linesOf(user, 'tail', '--json', '--cursor', told.cursor)
  await back.until(new RegExp(`"current_turn":${turn + 1}`))
  expect(await back.interrupt()).toBe(130)
})

test('a cursor that is too old is rejected with a message that names the option', async () => {
  const user = commandsOn(temporaryFolder())
  await user.startService()
  const { code, stderr } = await user.run(['tail', '--json', '--cursor', '1000000000000'])
  expect([code, stderr]).toEqual([4, expect.stringContaining('--snapshot')])
})
