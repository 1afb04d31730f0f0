// Starts the page.
import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './navigation.ts'
import { isTokenNeeded, takeToken } from './service/token.ts'

const root = document.getElementById('page')
if (root === null) throw new Error('index.html has no element for the page')
followLinks()
render(<App firstToken={takeToken()} isTokenNeeded={isTokenNeeded()} />, root)
