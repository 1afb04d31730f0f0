// Draws a choice between words, as buttons or as a list. The address contains the chosen word.
import { filterBy } from '../navigation.ts'

type Option<V> = { value: V; text: string; title?: string }

type Props<V> = {
  legend: string
  filter: string
  options: readonly Option<V>[]
  chosen: V
  /** Default word, which the address omits. */
  usual: V
}

/** Draws a button for each word. The button of the chosen word is pressed. */
export function Choice<V extends string | null>({ legend, filter, options, chosen, usual }: Props<V>) {
  return (
    <fieldset class="choice-line">
      <legend>{legend}</legend>
      {options.map(({ value, text, title }) => (
        <button
          key={value}
          type="button"
          title={title}
          aria-pressed={value === chosen}
          onClick={() => filterBy({ [filter]: value === usual ? null : value })}
        >
          {text}
        </button>
      ))}
    </fieldset>
  )
}

type SelectProps = {
  label: string
  value: string | null
  change: (value: string) => void
  options: readonly Option<string>[]
}

export function Select({ label, value, change, options }: SelectProps) {
  return (
    <label>
      {label}{' '}
      <select value={value ?? ''} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  )
}
