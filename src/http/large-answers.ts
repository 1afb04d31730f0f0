// Makes answers of large records take turns, from their first statement until they are rendered.
import PQueue from 'p-queue'

/**
 * Answers of operations whose records may be of a mebibyte each (`largeRecords`): two at a time, so that what came of six
 * readers is not all in memory, and a request between them waits for two and not for six.
 *
 * A whole answer is added, not its reads alone, and one of REST returns nothing: V8 moves the frames of a request that waits
 * to its old space, and what they have seen stays in memory until a full collection, though nothing uses it. Six readers of
 * 180 MB made a heap of 800 MB and more where they waited for their reads, of 200 MB where they wait before they begin
 * (docs/decisions/embedded-memory.md).
 */
export const largeAnswers = new PQueue({ concurrency: 2 })
