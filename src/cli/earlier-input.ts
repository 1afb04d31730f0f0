/** Drops the input that was typed at the terminal before a question was printed. */
import { setImmediate as nextRound } from 'node:timers/promises'
import { interrupt } from './signals.ts'

const CTRL_C = 3

export async function dropEarlierInput(): Promise<void> {
  const { stdin } = process
  // Without raw mode, a line cannot be read before Enter is pressed.
  stdin.setRawMode(true)
  const drop = (typed: Buffer | string) => {
    if (Buffer.from(typed).includes(CTRL_C)) interrupt()
  }
  stdin.on('data', drop).resume()
  // The event loop polls its input once in each round. The first round may have begun already.
  await nextRound()
  await nextRound()
  stdin.off('data', drop).pause()
  stdin.setRawMode(false)
}
