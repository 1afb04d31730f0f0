/** Holds a store under proof: the connection to it, and the projects that the proof fills and deletes. */
import type { TurngraphClient } from '../client/client.ts'
import { hasCode } from '../core/errors.ts'
import type { ForgetAnswer } from '../maintenance/forget/record.ts'
import type { OperationInput } from '../operations/table.ts'

export type TurnToSend = OperationInput<'captureTurnState'>

export type TrialOptions = {
  /** Opens a connection to the store, as a process does that begins. */
  open(): Promise<TurngraphClient>
  /**
   * Captures turns in a process of its own that is killed in the middle, while no connection of ours is open. Default: none
   * is killed.
   *
   * @returns the numbers of the turns that were acknowledged
   */
  killWriter?: (turns: readonly TurnToSend[]) => Promise<readonly number[]>
  /** Begins the names of its projects. */
  project: string
}

/** A store under proof. Everything happens in projects that begin with `project` and are deleted afterwards. */
export class Trial {
  readonly project: string
  readonly #options: TrialOptions
  readonly #projects: Set<string>
  #client: TurngraphClient

  constructor(options: TrialOptions, client: TurngraphClient) {
    this.#options = options
    this.#client = client
    this.project = options.project
    this.#projects = new Set([options.project])
  }

  get client(): TurngraphClient {
    return this.#client
  }

  /** Names a further project, which is deleted afterwards too. */
  nameProject(suffix: string): string {
    const name = `${this.project}-${suffix}`
    this.#projects.add(name)
    return name
  }

  /** Closes the connection and opens another one, as the next process does. */
  async reopen(): Promise<void> {
    await this.#client.close()
    this.#client = await this.#options.open()
  }

  /** Runs a writer in a process of its own, kills it in the middle, and answers the numbers of the turns it was acknowledged. */
  async killWriter(turns: readonly TurnToSend[]): Promise<readonly number[]> {
    const { killWriter, open } = this.#options
    if (killWriter === undefined) return []
    await this.#client.close()
    try {
      return await killWriter(turns)
    } finally {
      this.#client = await open()
    }
  }

  async close(): Promise<void> {
    try {
      for (const project of this.#projects) await forgetProject(this.#client, project)
    } finally {
      await this.#client.close()
    }
  }
}

async function forgetProject(client: TurngraphClient, project: string): Promise<void> {
  for (let answer: ForgetAnswer | null = null; answer?.done !== true; ) {
    const cursor = answer?.nextCursor ?? null
    try {
      answer = await client.forget({ project, wholeProject: true, dryRun: false, cursor })
    } catch (error) {
      if (hasCode(error, 'not_found')) return // no guarantee came so far as to write there
      throw error
    }
  }
}
