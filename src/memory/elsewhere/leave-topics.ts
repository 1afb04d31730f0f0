/** A session that was deleted is found by no other one. */
import type { Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { sessionMark, slotOfWorld } from './topics.ts'

const leaveTopics = statement('elsewhere/leave-topics', 'of-world')

/** Stands behind the write that deletes the world, in its transaction. */
export const leaveTopicsStep = (ofWorld: string, token: string): Step => ({
  statement: leaveTopics,
  params: { worldKey: ofWorld, slot: slotOfWorld(ofWorld), own: sessionMark(ofWorld), token },
})
