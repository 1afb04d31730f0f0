import { describe, expect, test } from 'vitest'
import { nextSteps } from './serve.ts'

describe('the start message at a terminal', () => {
  test('names the view of the API, which is part of the page', () => {
    expect(nextSteps({ web: true }, 'http://127.0.0.1:7480', 'turngraph worlds').join('\n')).toContain(
      ':7480/docs ',
    )
  })

  test('names the document of the API if no page is served', () => {
    const told = nextSteps({ web: false }, 'http://127.0.0.1:7480', null).join('\n')
    expect(told).toContain(':7480/openapi.json ')
    expect(told).not.toContain('/docs')
  })
})
