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
/** The built one, also where these sources run as they are: it starts in half the time. */
const WORKER = '#query-worker'
const NODE_OPTIONS = ['--max-old-space-size=256']
/** It needs nothing that is secret, and nothing of ours. */
const ENVIRONMENT = ['PATH', 'HOME', 'SystemRoot']
/** Captures come first. */
const NICENESS = 10

/**
 * A process that runs queries, one at a time. What a query does to it, by time, memory or a crash of the engine, ends
 * with the process: the embedded engine cannot end a query otherwise.
 */
export class QueryProcess {
  /** Of this process alone, for the copy it reads and what its engine puts beside: it ends with the process. */
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
    // One that could not be started has no exit.
    this.#child.once('exit', gone).on('error', gone)
    // A program that has done its work ends, and its processes with it.
    this.#child.unref()
    this.#child.channel?.unref()
    try {
      if (this.#child.pid !== undefined) os.setPriority(this.#child.pid, NICENESS)
    } catch {
      // Some systems let nobody lower it: then it is as urgent as any.
    }
  }

  get ended(): boolean {
    return this.#ended || !this.#child.connected
  }

  /**
   * @param signal ends the process, and rejects with its reason
   * @param waitedMs how long it waited for others before, for what the error says
   * @throws `timeout`, `too_large` or `internal` where the process had to end, and what the process itself says
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
    this.#child.ref() // until its folder is gone, too
    this.#child.kill('SIGKILL')
  }

  async #clear(): Promise<void> {
    try {
      await rm(this.folder, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // Somebody may still copy the graph into it. It is in the system's folder for such.
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
  new TurngraphError('too_large', 'The query needs more memory than it is given.', {
    hint: 'Return less at once: aggregate, or bound it with LIMIT.',
  })

const broken = (): TurngraphError =>
  new TurngraphError('internal', 'The process that ran the query ended.', {
    hint: 'The graph itself is not touched by that. Try a simpler query.',
  })
