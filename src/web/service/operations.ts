// Declares the types of the requests and answers that the page uses: the wire form of the operations. Contains no code.
import type * as z from 'zod'
import type { OnWire } from '../../core/wire-form.ts'
import type { ImportEvent, RunEvent, SessionEvent } from '../../events/change-event.ts'
import type { OperationName, operations } from '../../operations/table.ts'

export type { OperationName }

type Operations = typeof operations

export type Asked<N extends OperationName> = OnWire<z.input<Operations[N]['input']>>
export type Answered<N extends OperationName> = OnWire<z.output<Operations[N]['output']>>

/** Item of a list that is answered in pages. */
export type ItemOf<N extends OperationName> = Answered<N> extends { items: (infer Item)[] } ? Item : never

export type ChangeEvent = OnWire<SessionEvent> | OnWire<RunEvent> | OnWire<ImportEvent>

export type Caller = Answered<'describeCaller'>
export type Turn = Answered<'getTurn'>
export type Criteria = Answered<'listCriteria'>
export type Criterion = Criteria['criteria'][number]
