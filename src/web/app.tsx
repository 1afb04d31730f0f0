// Draws the page: signs the caller in, and shows the view of the address.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { readAddress } from './address.ts'
import { Layout } from './components/layout.tsx'
import { lazily } from './components/lazily.tsx'
import { SignIn } from './components/sign-in.tsx'
import { usePlace } from './navigation.ts'
import { Failure, isRefusal } from './service/failure.ts'
import type { Caller } from './service/operations.ts'
import { MAX_ITEMS, Service } from './service/service.ts'
import { exchangeGivenCode, forgetTokens, storeToken } from './service/token.ts'
import { SessionContext, useAnswerOf } from './service/use-service.ts'
import { View } from './views.tsx'

const DocsView = lazily(async () => (await import('./views/docs/docs-view.tsx')).DocsView)

type Props = {
  firstToken: string | null
  /** Reason why the code of the address was refused. */
  refusedCode: Failure | null
  isTokenNeeded: boolean
}

export function App({ firstToken, refusedCode, isTokenNeeded }: Props) {
  const [token, setToken] = useState(firstToken)
  const [refused, setRefused] = useState(refusedCode)
  const service = useMemo(() => new Service(token), [token])
  useEffect(() => service.status.watch(), [service])
  useEffect(() => {
    // The page does not reload if an address with a code is pasted into it.
    const take = () => {
      exchangeGivenCode().then(
        (given) => {
          if (given !== null) setToken(given)
        },
        (failure: unknown) => {
          if (!(failure instanceof Failure)) throw failure
          setRefused(failure)
        },
      )
    }
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  const isWithoutToken = isTokenNeeded && token === null
  const { caller, failure } = useCaller(service, token, isWithoutToken)
  const address = readAddress(usePlace().pathname)

  const signIn = (given: string, stays: boolean) => {
    storeToken(given, stays)
    setToken(given)
  }
  const signOut = () => {
    forgetTokens()
    setToken(null)
  }
  const session = caller === null ? null : { service, caller }
  const isOpen = address.view === 'docs' // what the service can do is no secret: it is shown without a token, too
  return (
    <SessionContext.Provider value={session}>
      <Layout address={address} service={service} caller={caller} signOut={token === null ? null : signOut}>
        {isOpen && <DocsView service={service} />}
        {!isOpen && session !== null && <View address={address} />}
        {!isOpen && session === null && (isWithoutToken || failure !== null) && (
          <SignIn signIn={signIn} refused={failure ?? refused} />
        )}
      </Layout>
    </SessionContext.Provider>
  )
}

/**
 * Loads the caller with the project that views without a project use: the project of its token, or the first project with data if
 * the project of the token has none.
 */
async function describeCaller(service: Service, signal: AbortSignal): Promise<Caller> {
  const caller = await service.call('describeCaller', {}, signal)
  if (!caller.scopes.includes('read')) return caller
  const projects = await service
    .call('listProjects', { limit: MAX_ITEMS }, signal)
    .catch((failure: unknown) => {
      if (signal.aborted || !(failure instanceof Failure)) throw failure
      // The token is valid. Each view shows why its data is missing.
      return { items: [] }
    })
  const found = projects.items.map(({ project }) => project)
  const [first] = found
  return first === undefined || found.includes(caller.project) ? caller : { ...caller, project: first }
}

/** Loads the caller that the token belongs to; null until the service answers, and after it rejected the token. */
function useCaller(
  service: Service,
  token: string | null,
  isWithoutToken: boolean,
): { caller: Caller | null; failure: Failure | null } {
  const key = isWithoutToken ? null : JSON.stringify(['caller', token])
  const { answer, failure, isLoading } = useAnswerOf(service, key, (signal) =>
    describeCaller(service, signal),
  )
  if (key === null || isLoading) return { caller: null, failure: null }
  return {
    // A caller stays signed in until the service refuses the token.
    caller: failure === null || !isRefusal(failure) ? answer : null,
    failure,
  }
}
