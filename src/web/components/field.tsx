// A labeled field of a form. What somebody types stays theirs until they leave the field or press Enter: a view that is drawn
// anew by news of the service does not undo it.
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
          setTyped(null)
          change(currentTarget.value)
        }}
      />
    </label>
  )
}
