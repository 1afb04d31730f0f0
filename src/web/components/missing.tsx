// Explains that the address of the page names something that does not exist, with a link to what exists.
import { type Address, readAddress, writeAddress } from '../address.ts'
import { usePlace } from '../navigation.ts'
import type { Failure } from '../service/failure.ts'
import { InlineText } from './inline-text.tsx'
import { Sentence } from './sentence.tsx'

/** @param failure refusal of the service; null if no view has this address */
export function Missing({ failure }: { failure: Failure | null }) {
  const [href, name] = findWayBack(readAddress(usePlace().pathname), failure)
  // The message about an invalid name describes a field of the request, which the reader did not write.
  const isNamed = failure !== null && failure.code !== 'invalid_request'
  return (
    <div role="alert">
      <Sentence>
        <InlineText text={isNamed ? failure.message : 'There is nothing at this address.'} />{' '}
        <a href={href}>{name}</a>
      </Sentence>
    </div>
  )
}

/** True if the address names a record that does not exist, or whose name is invalid. */
export const isMissing = ({ code }: Failure, address: Address): boolean =>
  ['not_found', 'unknown_world', 'world_deleted'].includes(code) ||
  (code === 'invalid_request' && ('world' in address || 'run' in address))

function findWayBack(address: Address, failure: Failure | null): [href: string, name: string] {
  if (address.view === 'turn' && failure?.code === 'not_found')
    return [writeAddress({ view: 'session', project: address.project, world: address.world }), 'Its session']
  if (address.view === 'run') return [writeAddress({ view: 'runs', project: address.project }), 'All runs']
  if ('project' in address && failure?.code !== 'not_found')
    return [writeAddress({ view: 'sessions', project: address.project }), 'All sessions']
  return ['/', 'All projects']
}
