import type { RequestHandler } from 'express'
import type { Metrics } from './metrics.ts'

/** Counts every request by the route that answered it, never by its address. */
export function measureRequests(metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const began = performance.now()
    res.once('finish', () => {
      const route: unknown = req.route?.path
      const seconds = (performance.now() - began) / 1000
      metrics.request(req.method, typeof route === 'string' ? route : 'none', res.statusCode, seconds)
    })
    next()
  }
}

/** `GET /metrics`, in the format of Prometheus. */
export function metricsHandler(metrics: Metrics): RequestHandler {
  return async (_req, res) => {
    const text = await metrics.text()
    res.setHeader('Content-Type', metrics.contentType)
    res.setHeader('Cache-Control', 'no-store')
    res.end(text)
  }
}
