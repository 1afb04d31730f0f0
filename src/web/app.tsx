// The page: lets a person in, and shows the view of the address.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { readAddress } from './address.ts'
import { Layout } from './components/layout.tsx'
import { SignIn } from './components/sign-in.tsx'
import { usePlace } from './navigation.ts'
import { Failure, isAway } from './service/failure.ts'
import type { Caller } from './service/operations.ts'
import { Service } from './service/service.ts'
import { storeToken } from './service/token.ts'
import { SessionContext, useReach } from './service/use-service.ts'
import { View } from './views.tsx'

export function App({ firstToken }: { firstToken: string | null }) {
  const [token, setToken] = useState(firstToken)
  const service = useMemo(() => new Service(token), [token])
  useEffect(() => service.status.watch(), [service])
  const { caller, failure } = useCaller(service)
  const address = readAddress(usePlace().pathname)

  const signIn = (given: string, stays: boolean) => {
    if (stays) storeToken(given)
    setToken(given)
  }
  const signOut = () => {
    storeToken(null)
    setToken(null)
  }
  const isRefused = failure?.code === 'unauthorized'
  const session = caller === null ? null : { service, caller }
  return (
    <SessionContext.Provider value={session}>
      <Layout address={address} service={service} caller={caller} signOut={token === null ? null : signOut}>
        {session !== null && <View address={address} />}
        {session === null && failure !== null && (
          <SignIn signIn={signIn} refused={isRefused && token === null ? null : failure} />
        )}
      </Layout>
    </SessionContext.Provider>
  )
}

/** Who calls: null until the service says so, also where it refuses. */
function useCaller(service: Service): { caller: Caller | null; failure: Failure | null } {
  const { recoveries } = useReach(service)
  const [known, setKnown] = useState<{ service: Service; caller: Caller | null; failure: Failure | null }>()
  useEffect(() => {
    const leaving = new AbortController()
    service.call('describeCaller', {}, leaving.signal).then(
      (caller) => setKnown({ service, caller, failure: null }),
      (failure: unknown) => {
        if (leaving.signal.aborted) return
        if (!(failure instanceof Failure)) throw failure
        // One who is in stays in while the service is away.
        setKnown((before) => ({
          service,
          caller: isAway(failure) && before?.service === service ? before.caller : null,
          failure,
        }))
      },
    )
    return () => leaving.abort()
  }, [service, recoveries])
  return known?.service === service ? known : { caller: null, failure: null }
}
