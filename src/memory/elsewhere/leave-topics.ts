/** Hides the turns of a session from other sessions. */
import type { Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { sessionMark, slotOfWorld, sortableNumber } from './topics.ts'

const leaveTopics = statement('elsewhere/leave-topics', 'of-world')

/**
 * Follows the lock of the world, in the transaction that deletes the world or withdraws its turns.
 *
 * @param aboveTurn only later turns are hidden
 */
export const leaveTopicsStep = (ofWorld: string, token: string, aboveTurn = 0): Step => ({
  statement: leaveTopics,
  params: {
    ...{ worldKey: ofWorld, slot: slotOfWorld(ofWorld), own: sessionMark(ofWorld), token },
    ...{ aboveTurn, above: sortableNumber(aboveTurn) },
  },
})
