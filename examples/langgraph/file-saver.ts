import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { MemorySaver } from '@langchain/langgraph'

/**
 * LangGraph's in-memory checkpointer, saved to a file, so that a killed process can continue. For production,
 * use the checkpointer of a database (such as @langchain/langgraph-checkpoint-postgres).
 */
export class FileSaver extends MemorySaver {
  readonly #file: string

  constructor(file: string) {
    super()
    this.#file = file
    mkdirSync(path.dirname(file), { recursive: true })
    if (existsSync(file)) Object.assign(this, deserialize(readFileSync(file)))
  }

  override async put(...given: Parameters<MemorySaver['put']>) {
    const config = await super.put(...given)
    this.#save()
    return config
  }

  override async putWrites(...given: Parameters<MemorySaver['putWrites']>) {
    await super.putWrites(...given)
    this.#save()
  }

  /** Replaces the file atomically. */
  #save(): void {
    const { storage, writes } = this
    writeFileSync(`${this.#file}.draft`, serialize({ storage, writes }), { flush: true })
    renameSync(`${this.#file}.draft`, this.#file)
  }
}
