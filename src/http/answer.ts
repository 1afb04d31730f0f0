import type { Response } from 'express'

/**
 * Answers JSON. Not `res.json`: no ETag, no freshness check, no second look at the content type; and a
 * stored answer would break "read your write", so no cache may keep one.
 */
export function answerJson(res: Response, status: number, body: unknown): void {
  answerText(res, status, JSON.stringify(body))
}

export function answerText(res: Response, status: number, json: string): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', Buffer.byteLength(json))
  res.end(json)
}
