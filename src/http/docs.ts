// Serves the page at `/docs`, which shows the OpenAPI document without a script and without a CDN.
import express, { type Router } from 'express'
import { renderDocsPage } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 70rem; padding: 1rem }
summary { cursor: pointer; padding: .25rem 0 }
details[open] { border-left: 3px solid #8888; margin-bottom: 1rem; padding-left: .75rem }
code { font-size: .9em; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid #8884; padding: .25rem .5rem .25rem 0; vertical-align: top }
`

/** Nothing runs, and nothing is loaded but the style sheet of this service. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function docsPages(): Router {
  const router = express.Router({ strict: true })
  let page: string | undefined
  router.get('/docs', (_req, res) => {
    page ??= renderDocsPage(openApiDocument())
    res.setHeader('Content-Security-Policy', POLICY).type('html').send(page)
  })
  router.get('/docs/', (_req, res) => res.redirect('../docs'))
  router.get('/docs/style.css', (_req, res) => void res.type('css').send(STYLE))
  return router
}
