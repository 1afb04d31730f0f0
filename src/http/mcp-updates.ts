// Reads changes for the subscriptions of MCP, and reports them to readers that may be slow.
import type { Response } from 'express'
import { TurngraphError } from '../core/errors.ts'
import type { ChangeEvent } from '../events/change-event.ts'
import type { EventBatch } from '../events/change-feed.ts'
import type { OpenChanges } from '../mcp/resource-watch.ts'
import { refuseWithoutScope } from '../operations/access.ts'
import { EVENTS_SCOPES, readEvents, refuseTooManyReaders } from '../operations/events.ts'
import { readCaller } from './authorize.ts'
import { chooseProject, type OperationContext } from './operation-handler.ts'

/** Returns a function that opens the changes of a project, if the token of the request may read them. */
export const openChangesFor =
  (context: OperationContext, res: Response): OpenChanges =>
  async (named, signal) => {
    const caller = readCaller(res)
    refuseWithoutScope(EVENTS_SCOPES, caller.scopes)
    const project = chooseProject(named, caller, context.defaultProject)
    refuseTooManyReaders(context)
    const batches = readEvents(context.feed, { project, snapshot: false }, signal)
    await batches.next() // the first batch is an empty list, sent when the reader has begun
    return eventsIn(batches)
  }

/** Rejects new streams while the service closes, because they would delay its end. */
export function refuseWhereClosing({ closing }: OperationContext): void {
  if (closing.aborted) throw new TurngraphError('store_unavailable', 'The service is ending.')
}

async function* eventsIn(source: AsyncIterable<EventBatch>): AsyncGenerator<ChangeEvent> {
  for await (const { events } of source) yield* events
}

/** Reports changed resources to a reader. Remembers each resource once while the reader does not read. */
export class UpdatesToReader {
  readonly #res: Response
  readonly #tell: (uri: string) => void
  readonly #unread = new Set<string>()

  constructor(res: Response, tell: (uri: string) => void) {
    this.#res = res
    this.#tell = tell
    res.on('drain', () => this.#tellUnread())
  }

  notify(uri: string): void {
    if (this.#res.writableNeedDrain) this.#unread.add(uri)
    else this.#tell(uri)
  }

  #tellUnread(): void {
    const unread = [...this.#unread]
    this.#unread.clear()
    for (const uri of unread) this.notify(uri)
  }
}
