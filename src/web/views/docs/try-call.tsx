// Draws a form that tries a call with the token that is here, and shows what the service answers.
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { FailureLine } from '../../components/failure-line.tsx'
import type { Service } from '../../service/service.ts'
import { useSubmission } from '../../service/use-submission.ts'
import { buildAddress, type PlacedCall } from './open-api.ts'

type Props = {
  call: PlacedCall
  service: Service
  /** Values for what has to be given. */
  examples: Readonly<Record<string, string>>
  body: string | null
}

type Received = { status: number; text: string }

/** A stream has no end, and a larger answer is not for reading. */
const MOST_CHARACTERS = 200_000
const isStream = ({ responses }: PlacedCall): boolean =>
  'text/event-stream' in (responses['200']?.content ?? {})

export function TryCall({ call, service, examples, body: exampleBody }: Props) {
  const [values, setValues] = useState(examples)
  const [body, setBody] = useState(exampleBody ?? '')
  const { answer, failure, isAsking, submit } = useSubmission<Received>()
  if (isStream(call))
    return (
      <p class="quiet-text">
        It has no end: <code>turngraph tail --json</code> prints it.
      </p>
    )

  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    await submit(() =>
      service.fetchText(buildAddress(call, values), {
        method: call.method,
        ...(exampleBody !== null && { body, headers: { 'content-type': 'application/json' } }),
      }),
    )
  }

  return (
    <form class="try" onSubmit={send} aria-label={`Try ${call.operationId}`}>
      <div class="filters">
        {call.parameters
          .filter(({ in: place }) => place !== 'header')
          .map(({ name, required = false }) => (
            <label key={name}>
              {name}{' '}
              <input
                required={required}
                value={values[name] ?? ''}
                onInput={({ currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
              />
            </label>
          ))}
      </div>
      {exampleBody !== null && (
        <label>
          Body
          <textarea
            rows={Math.min(16, body.split('\n').length + 1)}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
        </label>
      )}
      <button type="submit" disabled={isAsking}>
        Send
      </button>
      {failure !== null && <FailureLine failure={failure} />}
      {answer !== null && (
        <section aria-label="Answer">
          <h3>Answer {answer.status}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard, too */}
          <pre class="example" tabIndex={0}>
            {pretty(answer.text)}
          </pre>
        </section>
      )}
    </form>
  )
}

function pretty(text: string): string {
  const shown =
    text.startsWith('{') || text.startsWith('[') ? JSON.stringify(JSON.parse(text), null, 2) : text
  return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}\n… cut here` : shown
}
