/** Limits the memory of commands that run for a long time. */
import { setFlagsFromString } from 'node:v8'

/**
 * Limits the growth of V8's heap between two full collections. Six readers of 180 MB of turns take 400 MB instead of 515 MB, an
 * import of 1 GB of transcripts 376 MB instead of 416 MB (docs/decisions/embedded-memory.md and transcripts.md).
 */
export const limitHeapGrowth = (): void => setFlagsFromString('--heap-growing-percent=10')
