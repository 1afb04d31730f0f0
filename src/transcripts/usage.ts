/** Counts the tokens of a turn: numbers and names of models, never a text. */
import * as z from 'zod'
import { sha256 } from '../core/keys.ts'
import { addTokens, eachKind, TOKEN_KINDS } from '../rules/turn-tokens.ts'
import { asText, identifyResponse, maskedName } from './content.ts'
import { asObject, type TranscriptRecord } from './line-records.ts'

const tokenCounts = z.object(eachKind(() => z.number()))
const modelUsage = tokenCounts.extend({ model: z.string() })

/** The tokens of one response. Each record of a response repeats them, and the last record has the final numbers. */
const responseUsage = modelUsage.extend({ response: z.string() })
type ResponseUsage = z.output<typeof responseUsage>

/** The usage of a turn while it is read. Plain data, of limited size. */
export const openUsage = z.object({
  models: z.array(modelUsage),
  /** The newest responses, whose numbers may still change. */
  newest: z.array(responseUsage),
  /** Short hashes of finished responses. A compaction may append their records again. */
  finished: z.array(z.string()),
})
export type OpenUsage = z.output<typeof openUsage>

export const usage = tokenCounts.extend({
  models: z.array(z.string()),
  /** For each model: input, output, cache read and cache creation tokens. */
  modelTokens: z.array(z.number()),
})
export type Usage = z.output<typeof usage>

/** Number of responses whose next record replaces the numbers of the earlier one. */
const MAX_NEWEST = 8
const MAX_FINISHED = 4_000
/** Further models of a turn count as one. */
const MAX_MODELS = 8
const OTHER_MODELS = '(other models)'

export const newUsage = (): OpenUsage => ({ models: [], newest: [], finished: [] })

export function readUsage(record: TranscriptRecord): ResponseUsage | null {
  const message = asObject(record.message)
  const usage = asObject(message?.usage)
  if (usage === null) return null
  return {
    response: identifyResponse(record),
    model: asText(message?.model) === null ? '(no model)' : (maskedName(message?.model) ?? ''),
    inputTokens: toCount(usage.input_tokens),
    outputTokens: toCount(usage.output_tokens),
    cacheReadTokens: toCount(usage.cache_read_input_tokens),
    cacheCreationTokens: toCount(usage.cache_creation_input_tokens),
  }
}

/** Adds a response, or replaces the numbers of its earlier record. A finished response is a copy and changes nothing. */
export function addUsage({ models, newest, finished }: OpenUsage, added: ResponseUsage): void {
  const index = newest.findIndex(({ response }) => response === added.response)
  if (index >= 0) newest[index] = added
  else if (finished.length === 0 || !finished.includes(shortHash(added.response))) newest.push(added)
  if (newest.length <= MAX_NEWEST) return
  for (const oldest of newest.splice(0, 1)) {
    addToModel(models, oldest)
    finished.push(shortHash(oldest.response))
  }
  if (finished.length > MAX_FINISHED) finished.shift()
}

const shortHash = (response: string): string => sha256(response).slice(0, 10)

export function sumUsage({ models, newest }: OpenUsage): Usage | null {
  const all = models.map((each) => ({ ...each }))
  for (const response of newest) addToModel(all, response)
  if (all.length === 0) return null
  return {
    models: all.map(({ model }) => model),
    ...eachKind((kind) => all.reduce((total, each) => total + each[kind], 0)),
    modelTokens: all.flatMap((each) => TOKEN_KINDS.map((kind) => each[kind])),
  }
}

function addToModel(models: OpenUsage['models'], { response: _, model, ...tokens }: ResponseUsage): void {
  const isKnown = models.some((each) => each.model === model)
  const name = isKnown || models.length < MAX_MODELS ? model : OTHER_MODELS
  const found = models.find((each) => each.model === name)
  if (found === undefined) models.push({ model: name, ...tokens })
  else addTokens(found, tokens)
}

const MAX_TOKENS = 1_000_000_000

/** Reads a number of tokens. Any other value counts as 0. */
const toCount = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : 0
