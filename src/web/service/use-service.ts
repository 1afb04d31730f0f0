// Hooks for the service: the session, operations, lists and change events.
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { type EventsOf, readEvents } from './event-stream.ts'
import type { Failure } from './failure.ts'
import type { Answered, Asked, Caller, ChangeEvent, ItemOf, OperationName } from './operations.ts'
import type { Items, ListName, Service } from './service.ts'
import type { Reach } from './service-status.ts'

export type Session = { service: Service; caller: Caller }

export const SessionContext = createContext<Session | null>(null)

/** @throws if nobody is signed in */
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

/** Answer of the service. While it is loaded again, the previous answer stays. */
export type Answer<T> = { answer: T | null; failure: Failure | null; isLoading: boolean; again: () => void }

/** Calls an operation when the input changes, the service recovers, or `again` is called. Makes no call if the input is null. */
export function useOperation<N extends OperationName>(name: N, input: Asked<N> | null): Answer<Answered<N>> {
  const { service } = useSession()
  const key = input === null ? null : JSON.stringify([name, input])
  return useAnswer(key, (signal) => service.call(name, input ?? ({} as Asked<N>), signal))
}

/** Loads all items of a list, page by page. */
export function useWholeList<N extends ListName>(name: N, input: Asked<N> | null): Answer<ItemOf<N>[]> {
  const { service } = useSession()
  const key = input === null ? null : JSON.stringify([name, input])
  return useAnswer(key, (signal) => service.listAll(name, input ?? ({} as Asked<N>), signal))
}

/**
 * Loads the first pages of a list; `more` loads further ones, and is null on the last page.
 *
 * @param atOnce number of pages that are loaded together
 */
export function usePages<N extends ListName>(
  name: N,
  input: Asked<N>,
  atOnce = 1,
): Answer<Items<N>> & { more: (() => void) | null } {
  const { service } = useSession()
  const key = JSON.stringify([name, input])
  const [wanted, setWanted] = useState({ key, pages: atOnce })
  const pages = wanted.key === key ? wanted.pages : atOnce
  const found = useAnswer(`${key} ${pages}`, (signal) => service.listPages(name, input, pages, signal))
  const more = () => setWanted({ key, pages: pages + atOnce })
  return { ...found, more: found.answer?.hasMore ? more : null }
}

type Known<T> = { key: string | null; answer: T | null; failure: Failure | null }

type Ask<T> = (signal: AbortSignal) => Promise<T>

/** @param key identity of the call: a new key makes a new call; null makes no call */
export const useAnswer = <T>(key: string | null, ask: Ask<T>): Answer<T> =>
  useAnswerOf(useSession().service, key, ask)

/** Loads an answer without a session. */
export function useAnswerOf<T>(service: Service, key: string | null, ask: Ask<T>): Answer<T> {
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

/** Runs one look at a time. Requests during a look cause one more look after it: a restart at each request might never end. */
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

/** Keeps the object of an unchanged answer, so that Preact skips redrawing. After a failure, the last answer stays. */
function merge<T>(before: Known<T>, now: Known<T>): Known<T> {
  const isSameQuestion = before.key === now.key
  if (now.failure !== null) return { ...now, answer: isSameQuestion ? before.answer : null }
  const isSame = JSON.stringify(before.answer) === JSON.stringify(now.answer)
  if (isSame && isSameQuestion && before.failure === null) return before
  return isSame ? { ...now, answer: before.answer } : now
}

/** Time in which events are gathered into one call of the listener. */
const GATHER_MS = 200

/**
 * Reports the changes of a project while the page is visible; a hidden page would hold a connection that others need. The
 * calls of the page wait until the stream has begun, so that no change is missed. A stream that begins later, or again after
 * a pause, reports an empty list of events: the listener must load everything again.
 */
export function useEvents(
  { project, world_slug = null }: EventsOf,
  tell: (events: readonly ChangeEvent[]) => void,
): void {
  const { service } = useSession()
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
    const endWait = isFirst.current ? service.beginnings.expect() : () => false
    isFirst.current = false
    const opened = () => {
      if (!endWait()) gather()
    }
    const follow = () => {
      const isVisible = document.visibilityState === 'visible'
      if (!isVisible) endWait()
      if (isVisible === (reading !== null)) return
      reading?.abort()
      reading = isVisible ? new AbortController() : null
      if (reading === null) return
      // The stream ends with a failure if the token is no longer valid. Every other call then shows the same failure.
      readEvents(service, { project, world_slug }, { opened, tell: gather }, reading.signal).catch(() =>
        endWait(),
      )
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      clearTimeout(timer)
      gathered = []
      endWait()
      reading?.abort()
    }
  }, [service, project, world_slug])
}
