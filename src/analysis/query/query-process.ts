// Starts, asks and ends the process that runs queries.
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { TurngraphError } from '../../core/errors.ts'
import type { Answer, Order } from './worker.ts'

const { resolve } = createRequire(import.meta.url)
/** The built worker, even if the sources run unbuilt: it starts in half the time. */
const WORKER = '#query-worker'
const NODE_OPTIONS = ['--max-old-space-size=256']
/** Environment of the process: it needs no secrets and no settings of Turngraph. */
const ENVIRONMENT = ['PATH', 'HOME', 'SystemRoot']
/** Lowers the priority of queries: captures come first. */
const NICENESS = 10

/** Process that runs queries. A query that takes too much time or memory, or crashes the engine, ends only this process. */
export class QueryProcess {
  /** Folder of this process only, for its copy and the other files of its engine. It is removed when the process ends. */
  readonly folder: string
  readonly #child: ChildProcess
  #ended = false

  constructor() {
    const worker = resolve(WORKER)
    this.folder = mkdtempSync(path.join(os.tmpdir(), 'turngraph-query-'))
    const inherited = Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]]))
    this.#child = fork(worker, [this.folder], {
      execArgv: NODE_OPTIONS,
      env: { ...inherited, TMPDIR: this.folder, TEMP: this.folder },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const gone = () => {
      this.#ended = true
      void this.#clear()
    }
    // A process that could not be started emits `error` and no `exit`.
    this.#child.once('exit', gone).on('error', gone)
    // The process must not keep a finished program alive.
    this.#child.unref()
    this.#child.channel?.unref()
    try {
      if (this.#child.pid !== undefined) os.setPriority(this.#child.pid, NICENESS)
    } catch {
      // Some systems allow nobody to lower the priority. The process then keeps the normal one.
    }
  }

  get ended(): boolean {
    return this.#ended || !this.#child.connected
  }

  /**
   * Sends an order to the process and returns its answer.
   *
   * @param signal ends the process, and rejects with its reason
   * @param waitedMs time that the query has waited in the queue, for the text of the error
   * @throws `timeout`, `too_large` or `internal` if the process had to end, and the errors that the process
   * itself reports
   */
  ask(
    order: Order,
    timeoutMs: number,
    signal?: AbortSignal,
    waitedMs = 0,
  ): Promise<Exclude<Answer, { failed: unknown } | { tooMuchMemory: true }>> {
    if (this.ended) return Promise.reject(broken())
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const settle = (conclude: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
        this.#child.off('message', heard).off('exit', gone).off('error', gone)
        conclude()
      }
      const fail = (error: unknown) => settle(() => reject(error))
      const heard = (answer: Answer) => {
        if ('tooMuchMemory' in answer) {
          this.end()
          fail(tooMuchMemory())
        } else if ('failed' in answer) {
          const { code, message, hint, details } = answer.failed
          fail(new TurngraphError(code, message, { hint: hint ?? undefined, details }))
        } else settle(() => resolve(answer))
      }
      const gone = () => fail(this.#child.signalCode === 'SIGABRT' ? tooMuchMemory() : broken())
      const timer = setTimeout(() => {
        this.end()
        fail(tooLong(timeoutMs + waitedMs, waitedMs))
      }, timeoutMs)
      const stop = () => {
        this.end()
        fail(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
      this.#child.on('message', heard).on('exit', gone).on('error', gone)
      this.#child.send(order, (error) => {
        if (error !== null) gone()
      })
    })
  }

  end(): void {
    this.#ended = true
    this.#child.ref() // until its folder is removed, too
    this.#child.kill('SIGKILL')
  }

  async #clear(): Promise<void> {
    try {
      await rm(this.folder, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // A copy into the folder may still be running. The folder is in the system's temporary folder.
    }
  }
}

export function tooLong(timeoutMs: number, waitedMs = 0): TurngraphError {
  const [waited, hint] =
    waitedMs === 0
      ? ['', 'Bound it: begin at a key, limit the length of paths, or raise']
      : [
          `, of which it waited ${waitedMs} ms for other queries`,
          'Ask again when they are done, bound it, or raise',
        ]
  return new TurngraphError('timeout', `The query did not end within ${timeoutMs} ms${waited}.`, {
    hint: `${hint} timeout_ms (60,000 at most).`,
  })
}

const tooMuchMemory = (): TurngraphError =>
  new TurngraphError('too_large', 'The query needs more memory than allowed.', {
    hint: 'Return less at once: aggregate, or bound it with LIMIT.',
  })

const broken = (): TurngraphError =>
  new TurngraphError('internal', 'The process that ran the query ended.', {
    hint: 'The graph itself is not affected. Try a simpler query.',
  })
