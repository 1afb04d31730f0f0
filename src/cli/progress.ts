/** Shows a progress bar on standard error if it is a terminal. */
import { SingleBar } from 'cli-progress'

type Show = (what: string, done: number, total: number) => void

export async function withProgress<T>(work: (show: Show) => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work(() => {})
  const bar = new SingleBar({
    format: '{what} {bar} {value}/{total}',
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
  })
  const show: Show = (what, done, total) => {
    if (!bar.isActive) bar.start(total, done, { what })
    bar.setTotal(total)
    bar.update(done, { what })
  }
  return work(show).finally(() => bar.stop())
}
