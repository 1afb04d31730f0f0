// Starts the page.
import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './navigation.ts'
import { Failure } from './service/failure.ts'
import { exchangeGivenCode, isTokenNeeded, readKeptToken } from './service/token.ts'

const root = document.getElementById('page')
if (root === null) throw new Error('index.html has no element for the page')
followLinks()
const given = await exchangeGivenCode().catch((failure: unknown) => {
  if (failure instanceof Failure) return failure
  throw failure
})
const refused = given instanceof Failure ? given : null
const token = given instanceof Failure ? null : given
render(
  <App firstToken={token ?? readKeptToken()} refusedCode={refused} isTokenNeeded={isTokenNeeded()} />,
  root,
)
