// Gives components the service, who calls it, what it answers, and what changes.
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { type EventsOf, readEvents } from './event-stream.ts'
import type { Failure } from './failure.ts'
import type { Answered, Asked, Caller, ChangeEvent, ItemOf, OperationName } from './operations.ts'
import type { Items, ListName, Service } from './service.ts'
import type { Reach } from './service-status.ts'

export type Session = { service: Service; caller: Caller }

export const SessionContext = createContext<Session | null>(null)

/** @throws outside of a page that somebody has entered */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('a view stands outside of SessionContext')
  return session
}

export const useScope = (scope: Caller['scopes'][number]): boolean =>
  useSession().caller.scopes.includes(scope)

export function useReach({ status }: Service): { reach: Reach; recoveries: number } {
  const [, render] = useReducer((times: number) => times + 1, 0)
  useEffect(() => status.subscribe(() => render(undefined)), [status])
  return { reach: status.reach, recoveries: status.recoveries }
}

/** What was asked, as far as it is known: an answer stays while it is asked for again. */
export type Answer<T> = { answer: T | null; failure: Failure | null; isLoading: boolean; again: () => void }

/** Asks when the input changes, when the service comes back, and when `again` is called. Null asks nothing. */
export function useOperation<N extends OperationName>(name: N, input: Asked<N> | null): Answer<Answered<N>> {
  const { service } = useSession()
  const key = input === null ? null : JSON.stringify([name, input])
  return useAnswer(key, (signal) => service.call(name, input ?? ({} as Asked<N>), signal))
}

/** All items of a list, page by page. */
export function useWholeList<N extends ListName>(name: N, input: Asked<N> | null): Answer<ItemOf<N>[]> {
  const { service } = useSession()
  const key = input === null ? null : JSON.stringify([name, input])
  return useAnswer(key, (signal) => service.listAll(name, input ?? ({} as Asked<N>), signal))
}

/** A list from its first page on; `more` asks for one page more. */
export function usePages<N extends ListName>(
  name: N,
  input: Asked<N>,
): Answer<Items<N>> & { more: () => void } {
  const { service } = useSession()
  const key = JSON.stringify([name, input])
  const [wanted, setWanted] = useState({ key, pages: 1 })
  const pages = wanted.key === key ? wanted.pages : 1
  const answer = useAnswer(`${key} ${pages}`, (signal) => service.listPages(name, input, pages, signal))
  return { ...answer, more: () => setWanted({ key, pages: pages + 1 }) }
}

type Known<T> = { key: string | null; answer: T | null; failure: Failure | null }

/** @param key what is asked: another key is another question; null asks nothing */
export function useAnswer<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const { service } = useSession()
  const { recoveries } = useReach(service)
  const [known, setKnown] = useState<Known<T>>({ key: null, answer: null, failure: null })
  const lookAgain = useRef(() => {})
  useEffect(() => {
    if (key === null) return
    const leaving = new AbortController()
    const { signal } = leaving
    lookAgain.current = inTurns(async () => {
      await service.beginnings.settled()
      if (signal.aborted) return
      const found = await ask(signal).then(
        (answer) => ({ answer, failure: null }),
        (failure: Failure) => ({ answer: null, failure }),
      )
      if (!signal.aborted) setKnown((before) => merge(before, { key, ...found }))
    }, signal)
    lookAgain.current()
    return () => leaving.abort()
  }, [key, recoveries, service])
  return {
    answer: key === null ? null : known.answer,
    failure: known.failure,
    isLoading: key !== null && known.key !== key,
    again: useCallback(() => lookAgain.current(), []),
  }
}

/** Runs a look at a time. What is asked for meanwhile is one look after it: to begin anew each time might never end. */
function inTurns(look: () => Promise<void>, signal: AbortSignal): () => void {
  let isLooking = false
  let isWanted = false
  const run = async () => {
    isWanted = true
    if (isLooking) return
    isLooking = true
    while (isWanted && !signal.aborted) {
      isWanted = false
      await look()
    }
    isLooking = false
  }
  return () => void run()
}

/** An answer that is the same stays the same object, so that nothing is drawn anew for it; beside a failure the last one stays. */
function merge<T>(before: Known<T>, now: Known<T>): Known<T> {
  const isSameQuestion = before.key === now.key
  if (now.failure !== null) return { ...now, answer: isSameQuestion ? before.answer : null }
  const isSame = JSON.stringify(before.answer) === JSON.stringify(now.answer)
  if (isSame && isSameQuestion && before.failure === null) return before
  return isSame ? { ...now, answer: before.answer } : now
}

/** Many events of one moment are one reason to look again. */
const GATHER_MS = 200

/**
 * Tells what changed in a project while the page is visible: a hidden one would keep a connection that others need. What the
 * page asks for waits until the stream has begun, so that nothing is missed in between; a stream that begins later, or anew
 * after a pause, tells of no event, for what changed until then.
 */
export function useEvents(of: EventsOf, tell: (events: readonly ChangeEvent[]) => void): void {
  const { service } = useSession()
  const { project, world_slug } = of
  const latest = useRef(tell)
  latest.current = tell
  const isFirst = useRef(true) // what was asked for while another stream was read waits for none
  useEffect(() => {
    let reading: AbortController | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    let gathered: ChangeEvent[] = []
    const gather = (...events: ChangeEvent[]) => {
      gathered.push(...events)
      timer ??= setTimeout(() => {
        timer = undefined
        latest.current(gathered.splice(0))
      }, GATHER_MS)
    }
    const begun = isFirst.current ? service.beginnings.expect() : () => false
    isFirst.current = false
    const opened = () => {
      if (!begun()) gather()
    }
    const follow = () => {
      const isVisible = document.visibilityState === 'visible'
      if (!isVisible) begun()
      if (isVisible === (reading !== null)) return
      reading?.abort()
      reading = isVisible ? new AbortController() : null
      if (reading === null) return
      const of = world_slug === undefined ? { project } : { project, world_slug }
      // It ends where the token does no longer allow it: then every other call says so, too.
      readEvents(service, of, { opened, tell: gather }, reading.signal).catch(() => begun())
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      clearTimeout(timer)
      gathered = []
      begun()
      reading?.abort()
    }
  }, [service, project, world_slug])
}
