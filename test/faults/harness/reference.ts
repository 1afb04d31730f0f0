import { inProcessClient } from '../../../src/client/in-process.ts'
import { EmbeddedGraph } from '../../../src/graph/embedded.ts'
import { migrate } from '../../../src/graph/migrations.ts'
import type { OperationOutput } from '../../../src/operations/table.ts'
import { type Op, type Place, plannedTurn } from './planned-turn.ts'
import type { Writer } from './writer.ts'

/** The same captures in a graph in memory without faults: the graph under test must equal it. */
export class Reference {
  readonly #graph = EmbeddedGraph.open({ folder: null })
  readonly client = inProcessClient({ graph: this.#graph, project: 'default' })
  readonly #applied = new Map<Writer, number>()

  static async open(): Promise<Reference> {
    const reference = new Reference()
    await migrate(reference.#graph)
    return reference
  }

  capture(place: Place, op: Op): Promise<OperationOutput<'captureTurnState'>> {
    return this.client.captureTurnState(plannedTurn(place, op))
  }

  /** Captures the turns that the writer has stored since the last call. */
  async follow(writer: Writer): Promise<void> {
    const done = this.#applied.get(writer) ?? 0
    for (const { op } of writer.stored.slice(done)) await this.capture(writer.place, op)
    this.#applied.set(writer, writer.stored.length)
  }

  close(): Promise<void> {
    return this.client.close()
  }
}
