import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { MemorySaver } from '@langchain/langgraph'

/**
 * LangGraph's checkpointer in memory, with its memory in a file: a killed process goes on where it was. For more than an
 * example take that of a database (@langchain/langgraph-checkpoint-postgres and the like).
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

  /** Whole or not at all. */
  #save(): void {
    const { storage, writes } = this
    writeFileSync(`${this.#file}.draft`, serialize({ storage, writes }), { flush: true })
    renameSync(`${this.#file}.draft`, this.#file)
  }
}
