/** Offers the continuation context of a turn as a LangChain retriever. */
import type { DocumentInterface } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import type { TurngraphClient } from '../client/client.ts'
import { invalidField } from '../core/errors.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { Role } from '../memory/criteria/views.ts'
import { type SectionMetadata, sectionDocuments } from './sections.ts'

export type TurngraphRetrieverFields = BaseRetrieverInput & {
  client: TurngraphClient
  project?: string
  featureId: string
  taskId: string
  /** Default: the newest world of the task. */
  worldSlug?: string
  /** The number of the next turn. Without it, the query is the number. */
  currentTurn?: number
  /** Default: player. A Coach also sees evidence and promises. */
  role?: Role
}

/**
 * Returns the continuation context of a turn as documents, for chains; none if there is no prior turn. An unreachable memory is
 * an error (`store_unavailable`), never an empty answer.
 * @example
 * const retriever = new TurngraphRetriever({ client, featureId: 'FEAT-1', taskId: 'TASK-1', role: 'coach' })
 * const chain = retriever.pipe((documents) => documents.map(({ pageContent }) => pageContent).join('\n\n'))
 * await chain.invoke('3') // what turn 3 needs to know
 */
export class TurngraphRetriever extends BaseRetriever<SectionMetadata> {
  static override lc_name(): string {
    return 'TurngraphRetriever'
  }

  override lc_namespace = ['turngraph', 'retrievers']
  readonly #load: (query: string) => Promise<ContinuationContext>

  constructor(fields: TurngraphRetrieverFields) {
    const { client, project, featureId, taskId, worldSlug, currentTurn, role, ...input } = fields
    super(input)
    if (client === undefined)
      throw invalidField('client', 'must be given: createTurngraphClient({ url }) makes one')
    const target = { project, featureId, taskId, worldSlug, role }
    this.#load = (query) =>
      client.loadTurnContinuationContext({ ...target, currentTurn: currentTurn ?? parseTurn(query) })
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface<SectionMetadata>[]> {
    return sectionDocuments(await this.#load(query))
  }
}

function parseTurn(query: string): number {
  if (/^\s*\d{1,9}\s*$/.test(query)) return Number(query)
  throw invalidField(
    'query',
    'must be the number of the turn that is about to begin, or give the retriever a currentTurn',
  )
}
