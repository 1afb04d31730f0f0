// Draws the search over the sessions, criteria and issues of a project: a combobox with a list of results, in a modal dialog.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { groupBy } from '../../core/group-by.ts'
import { plural } from '../../core/plural.ts'
import { FailureLine } from '../components/failure-line.tsx'
import { navigate } from '../navigation.ts'
import { type Result, useResults } from './use-results.ts'

const NO_RESULTS = { items: [], hasMore: false }
const LIST_ID = 'search-results'
const toOptionId = (position: number): string => `search-result-${position}`

export function SearchPalette({ project, close }: { project: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const [isEntered, setEntered] = useState(false)
  const { answer, failure, isLoading } = useResults(project, typed)
  const { items: results, hasMore } = typed.trim() === '' || answer === null ? NO_RESULTS : answer
  const chosen = Math.min(active, results.length - 1)
  useLayoutEffect(() => {
    // The browser closes the dialog at Escape, and returns the focus to the element that had it.
    dialog.current?.showModal()
  }, [])
  useEffect(() => {
    document.getElementById(toOptionId(chosen))?.scrollIntoView({ block: 'nearest' })
  }, [chosen, results.length])

  const open = (result: Result | undefined) => {
    if (result === undefined) return
    dialog.current?.close()
    navigate(result.href)
  }
  useEffect(() => {
    if (!isEntered || isLoading) return
    setEntered(false)
    open(results[chosen])
  }, [isEntered, isLoading])
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && results.length > 0) {
      event.preventDefault()
      setActive((chosen + step + results.length) % results.length)
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      setEntered(true)
    }
  }
  return (
    <dialog class="palette" ref={dialog} aria-label="Search" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label={`Search sessions, criteria and issues of ${project}`}
        aria-autocomplete="list"
        aria-expanded={results.length > 0}
        aria-controls={LIST_ID}
        {...(results.length > 0 && { 'aria-activedescendant': toOptionId(chosen) })}
        autocomplete="off"
        spellcheck={false}
        placeholder={`Sessions, criteria and issues of ${project}`}
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setActive(0)
          setEntered(false)
        }}
        onKeyDown={press}
      />
      {failure !== null && <FailureLine failure={failure} />}
      <ResultList results={results} chosen={chosen} open={open} />
      <output class="quiet-text">{describeResults(typed, results.length, { isLoading, hasMore })}</output>
    </dialog>
  )
}

type ListProps = { results: readonly Result[]; chosen: number; open: (result: Result) => void }

function ResultList({ results, chosen, open }: ListProps) {
  const numbered = results.map((result, position) => ({ result, position }))
  const groups = groupBy(numbered, ({ result }) => result.group)
  return (
    <div id={LIST_ID} role="listbox" aria-label="Results" hidden={results.length === 0}>
      {[...groups].map(([name, items]) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options has no element outside of a select
        <div key={name} role="group" aria-label={name}>
          <p class="palette-group" aria-hidden="true">
            {name}
          </p>
          {items.map(({ result, position }) => (
            <a
              key={position}
              id={toOptionId(position)}
              href={result.href}
              role="option"
              tabIndex={-1}
              aria-selected={position === chosen}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return
                event.preventDefault()
                open(result)
              }}
            >
              <bdi>{result.text}</bdi> <bdi class="quiet-text">{result.place}</bdi>
            </a>
          ))}
        </div>
      ))}
    </div>
  )
}

type State = { isLoading: boolean; hasMore: boolean }

function describeResults(typed: string, count: number, { isLoading, hasMore }: State): string {
  if (typed.trim() === '') return 'Type words. Arrows choose, Enter opens, Escape closes.'
  if (isLoading && count === 0) return 'Searching …'
  if (hasMore) return `${plural(count, 'result')}, and more: add a word to find fewer.`
  return count === 0 ? 'Nothing has these words.' : plural(count, 'result')
}
