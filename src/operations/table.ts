// Collects the operations of all capabilities in one table.
import type * as z from 'zod'
import { turnState } from '../memory/record/record.ts'
import { worldProgress } from '../memory/worlds/world-progress.ts'
import { world } from '../memory/worlds/worlds.ts'
import { analysisOperations } from './analysis.ts'
import { attentionOperations } from './attention.ts'
import { callerOperations } from './caller.ts'
import { historyOperations } from './history.ts'
import { issueOperations } from './issues.ts'
import { maintenanceOperations } from './maintenance.ts'
import { memoryOperations } from './memory.ts'
import { runOperations } from './runs.ts'
import { searchOperations } from './search.ts'
import { specificationOperations } from './specification.ts'
import { transcriptOperations } from './transcripts.ts'
import { verificationOperations } from './verifications.ts'

/** All operations of Turngraph: REST, MCP, the command line and both clients derive from this table. */
export const operations = {
  ...memoryOperations,
  ...verificationOperations,
  ...specificationOperations,
  ...issueOperations,
  ...attentionOperations,
  ...searchOperations,
  ...historyOperations,
  ...runOperations,
  ...transcriptOperations,
  ...analysisOperations,
  ...maintenanceOperations,
  ...callerOperations,
} as const

/** Names of schemas that several answers share. Every other schema has the name of its operation. */
export const SHARED_SCHEMAS = { TurnState: turnState, World: world, WorldProgress: worldProgress } as const

type Table = typeof operations
export type OperationName = keyof Table
export type OperationInput<N extends OperationName> = z.input<Table[N]['input']>
export type OperationOutput<N extends OperationName> = z.output<Table[N]['output']>

const isOperationName = (name: string): name is OperationName => Object.hasOwn(operations, name)

export const operationNames: readonly OperationName[] = Object.keys(operations).filter(isOperationName)
