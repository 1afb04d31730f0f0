// Draws the view for an unknown address.
import { Sentence } from '../components/sentence.tsx'

export function Nowhere() {
  return (
    <Sentence>
      There is nothing at this address. <a href="/">All projects</a>
    </Sentence>
  )
}
