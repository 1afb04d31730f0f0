// Opens the search palette with a button or Ctrl-K. The palette is loaded when it is first opened.
import { useEffect, useState } from 'preact/hooks'
import { lazily } from '../components/lazily.tsx'

const SearchPalette = lazily(async () => (await import('./search-palette.tsx')).SearchPalette)

export function SearchKey({ project }: { project: string }) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isSearch = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      if (!isSearch || event.key.toLowerCase() !== 'k' || event.defaultPrevented) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        Search <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <SearchPalette project={project} close={() => setOpen(false)} />}
    </>
  )
}
