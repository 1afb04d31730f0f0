// Asks for a token if the page has none or the service rejected it.
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { Failure } from '../service/failure.ts'
import { FailureLine } from './failure-line.tsx'
import { Sentence } from './sentence.tsx'

type Props = { signIn: (token: string, stays: boolean) => void; refused: Failure | null }

export function SignIn({ signIn, refused }: Props) {
  const [token, setToken] = useState('')
  const [stays, setStays] = useState(false)
  const enter = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (token.trim() !== '') signIn(token.trim(), stays)
  }
  return (
    <form class="sign-in" onSubmit={enter}>
      <Sentence title="Sign in">
        This service asks for a token. <code>turngraph open</code> opens this page for you.
      </Sentence>
      {refused !== null && <FailureLine failure={refused} />}
      <label>
        Token
        <input
          class="secret"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={stays}
          onChange={({ currentTarget }) => setStays(currentTarget.checked)}
        />
        Stay signed in on this browser
      </label>
      <button type="submit">Sign in</button>
    </form>
  )
}
