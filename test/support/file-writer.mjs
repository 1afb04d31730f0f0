/** Writes files like an orchestrator, in a separate thread: each file in pieces, one after another. */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

parentPort.on('message', async ({ id, files, pieces }) => {
  for (const { file, text } of files) {
    mkdirSync(path.dirname(file), { recursive: true })
    rmSync(file, { force: true })
    const length = Math.ceil(text.length / pieces)
    for (let at = 0; at < text.length; at += length) {
      appendFileSync(file, text.slice(at, at + length))
      await pause(20)
    }
  }
  parentPort.postMessage(id)
})
