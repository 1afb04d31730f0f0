import { createRequire } from 'node:module'
import path from 'node:path'
import express, { type Router } from 'express'

const ASSETS = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const ASSET_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

// Relative addresses: the pages work behind a proxy's prefix too.
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Turngraph API</title>
    <link rel="icon" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`

/** A file of its own: the content security policy allows no inline script. */
const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null })
`

/** `/docs`: Swagger UI from the installed package, no CDN. The page takes a token under "Authorize". */
export function docsPages(): Router {
  const router = express.Router({ strict: true })
  router.get('/docs', (_req, res) => void res.type('html').send(PAGE))
  router.get('/docs/', (_req, res) => res.redirect('../docs'))
  router.get('/docs/start.js', (_req, res) => void res.type('js').send(START))
  for (const file of ASSET_FILES) {
    router.get(`/docs/${file}`, (_req, res) => res.sendFile(file, { root: ASSETS, maxAge: '1d' }))
  }
  return router
}
