// Draws a labeled field of a form. Typed text stays until the person leaves the field or presses Enter: an event of the service
// that redraws the view does not overwrite it. If a value is invalid, the browser explains why, and the view does not get the
// value.
import { useState } from 'preact/hooks'

type Props = {
  label: string
  value: string | number | null
  change: (value: string) => void
  placeholder?: string
  required?: boolean
} & ({ type?: 'text' } | { type: 'number'; min?: number; max?: number } | { type: 'date' })

export function Field({ label, value, change, ...input }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <label>
      {label}{' '}
      <input
        {...input}
        value={typed ?? value ?? ''}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => {
          if (!currentTarget.reportValidity()) return
          setTyped(null)
          change(currentTarget.value)
        }}
      />
    </label>
  )
}
