// Loads the replays of a project's sessions, page by page.
import { useState } from 'preact/hooks'
import type { Detector } from '../../../rules/replay-rules.ts'
import type { Answered, Asked, ItemOf } from '../../service/operations.ts'
import { type Answer, useAnswer, useSession } from '../../service/use-service.ts'

/** Number of sessions that one call replays, so that a call takes seconds. */
const PAGE = 50
/** Number of calls after which the view asks the person before it continues. */
const FIRST_PAGES = 4

export type ReplayedSession = ItemOf<'replaySessions'>
export type Replay = {
  sessions: ReplayedSession[]
  /** Sessions that are too long to be replayed. */
  tooLong: string[]
  hasMore: boolean
}

type Filter = { project: string; feature_id?: string; task_id?: string; stall: Detector }

export function useReplay(filter: Filter): Answer<Replay> & { more: () => void } {
  const { service } = useSession()
  const key = JSON.stringify(['replay', filter])
  const [wanted, setWanted] = useState({ key, pages: FIRST_PAGES })
  const pages = wanted.key === key ? wanted.pages : FIRST_PAGES
  const answer = useAnswer(`${key} ${pages}`, async (signal) => {
    const replay: Replay = { sessions: [], tooLong: [], hasMore: true }
    let cursor: string | null = null
    for (let page = 0; page < pages && replay.hasMore; page++) {
      const input: Asked<'replaySessions'> = { ...filter, limit: PAGE, cursor }
      const found: Answered<'replaySessions'> = await service.call('replaySessions', input, signal)
      replay.sessions.push(...found.items)
      replay.tooLong.push(...found.too_long)
      cursor = found.next_cursor
      replay.hasMore = cursor !== null
    }
    return replay
  })
  return { ...answer, more: () => setWanted({ key, pages: pages + FIRST_PAGES }) }
}
