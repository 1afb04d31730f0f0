/**
 * Measures the reading and the import of transcripts as ratios to `readFile` + `split` + `JSON.parse` of the
 * same files in the same run, their memory, and how both grow with the size. The input is real files repeated
 * with new uuids. Each measurement runs in a separate process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { inFolder, writeFigures } from './bench-folder.ts'
import { repeatTo, transcriptsIn } from './repeated.ts'

type TranscriptsBench = {
  folder: string
  store: string | null
  /** Sizes to measure. */
  mb: readonly number[]
  rounds: number
  out: string
}

type Measured = { seconds: number; steps: number; maxRssMb: number }

export const benchTranscripts = ({ folder, store, mb: sizesMb, rounds, out }: TranscriptsBench) =>
  inFolder(async (scratch) => {
    const from = transcriptsIn(folder)
    const figures: object[] = []
    for (const sizeMb of sizesMb) {
      const files = await repeatTo(sizeMb * 1e6, from, path.join(scratch, String(sizeMb)))
      const list = path.join(scratch, `${sizeMb}.txt`)
      writeFileSync(list, files.join('\n'))
      const mb = files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6
      const best: Record<string, Measured> = {}
      for (let round = 0; round < rounds; round++) {
        for (const what of ['baseline', 'read', 'import']) {
          const measured = await measure(what, [list, scratch, store ?? ''])
          const { seconds, maxRssMb } = best[what] ?? { seconds: Number.POSITIVE_INFINITY, maxRssMb: 0 }
          best[what] = {
            ...measured,
            seconds: Math.min(seconds, measured.seconds),
            maxRssMb: Math.max(maxRssMb, measured.maxRssMb),
          }
        }
      }
      figures.push(report(mb, best))
    }
    writeFigures(out, { store: store ?? 'embedded', sizes: figures })
  })

const WORKER = fileURLToPath(new URL('./transcript-worker.mjs', import.meta.url))

async function measure(what: string, rest: readonly string[]): Promise<Measured> {
  const child = fork(WORKER, [what, ...rest], { execArgv: [] })
  const [message] = (await once(child, 'message')) as [Measured]
  await once(child, 'exit')
  return message
}

function report(mb: number, measured: Record<string, Measured>): object {
  const speed = (what: string) => mb / (measured[what]?.seconds ?? Number.NaN)
  const floor = speed('baseline')
  const lines = ['read', 'import'].map((what) => {
    const { steps = 0, maxRssMb = 0, seconds = Number.NaN } = measured[what] ?? {}
    const [ratio, perSecond] = [speed(what) / floor, steps / seconds]
    console.log(
      `${mb.toFixed(0).padStart(5)} MB ${what.padEnd(7)} ${speed(what).toFixed(0).padStart(4)} MB/s, ${ratio.toFixed(2)} x JSON.parse (${floor.toFixed(0)} MB/s), ${Math.round(perSecond)} steps/s, at most ${Math.round(maxRssMb)} MB of memory`,
    )
    return { what, mbPerSecond: speed(what), ratio, stepsPerSecond: perSecond, maxRssMb }
  })
  return { mb, baselineMbPerSecond: floor, measured: lines }
}
