// Moves between the views with the History API, and provides the current address to the page.
import { useEffect, useState } from 'preact/hooks'
import { readAddress, type Search } from './address.ts'

/** Event that `navigate` dispatches: the browser dispatches no event when a script changes the address. */
const MOVED = 'turngraph:moved'

export function navigate(href: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) {
    history.replaceState(history.state, '', href)
  } else {
    history.replaceState({ y: scrollY }, '')
    history.pushState(null, '', href)
  }
  dispatchEvent(new Event(MOVED))
}

/** Scrolls to the earlier position after a step back. The browser itself scrolls before the view has its data. */
function scrollBack(): void {
  const y = (history.state as { y: number } | null)?.y
  if (!y) return
  const until = new AbortController()
  const grown = new ResizeObserver(() => {
    scrollTo(0, y)
    if (Math.abs(scrollY - y) < 1) until.abort()
  })
  until.signal.addEventListener('abort', () => grown.disconnect())
  for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown', 'popstate', MOVED])
    addEventListener(act, () => until.abort(), { signal: until.signal })
  grown.observe(document.body)
}

/** Changes filters of the view; null removes a filter. The change adds no step to the browser's history. */
export function filterBy(change: Search): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(change)) {
    if (value == null || value === '') query.delete(name)
    else query.set(name, String(value))
  }
  const text = query.toString()
  navigate(location.pathname + (text === '' ? '' : `?${text}`), { replace: true })
}

export type Place = { pathname: string; search: string }

const currentPlace = (): Place => ({ pathname: location.pathname, search: location.search })

/** Returns the current address, and renders again after each move. */
export function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    const move = () => setPlace(currentPlace())
    addEventListener('popstate', move)
    addEventListener(MOVED, move)
    return () => {
      removeEventListener('popstate', move)
      removeEventListener(MOVED, move)
    }
  }, [])
  return place
}

/** The filters of the view, from the address. */
export const useSearch = (): URLSearchParams => new URLSearchParams(usePlace().search)

/** Adds the listeners for links and steps back once, for the lifetime of the page, so that no view removes them. */
export function followLinks(): void {
  document.addEventListener('click', followLink)
  addEventListener('popstate', scrollBack)
}

/** Opens a link to a view inside the page. The browser handles new tabs, downloads and other pages. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.hasAttribute('download')) return
  const { origin, pathname, search, hash } = new URL(link.href, location.href)
  if (origin !== location.origin || hash !== '' || readAddress(pathname).view === 'nowhere') return
  event.preventDefault()
  navigate(pathname + search)
  scrollTo(0, 0)
}
