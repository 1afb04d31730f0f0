// Moves between the views with the History API, and provides the current address to the page.
import { useEffect, useState } from 'preact/hooks'
import { readAddress, type Search } from './address.ts'

/** Event that `navigate` dispatches: the browser dispatches no event when a script changes the address. */
const MOVED = 'turngraph:moved'

export function navigate(href: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  dispatchEvent(new Event(MOVED))
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

/** Adds the listener for all links once, for the lifetime of the page, so that no view removes it. */
export const followLinks = (): void => document.addEventListener('click', followLink)

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
