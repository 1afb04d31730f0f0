import { SingleBar } from 'cli-progress'

/** A bar on standard error where that is a terminal; elsewhere it shows nothing. */
export function progressBar(): {
  show: (what: string, done: number, total: number) => void
  stop: () => void
} {
  if (!process.stderr.isTTY) return { show: () => {}, stop: () => {} }
  const bar = new SingleBar({
    format: '{what} {bar} {value}/{total}',
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
  })
  let running = false
  return {
    show(what, done, total) {
      if (!running) bar.start(total, done, { what })
      running = true
      bar.setTotal(total)
      bar.update(done, { what })
    },
    stop: () => bar.stop(),
  }
}
