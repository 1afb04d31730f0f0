/**
 * Readers of events in a separate thread. They record when each heard of each turn, in milliseconds since
 * 1970.
 */
import { get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, readers } = workerData
const heard = []
let open = 0

const connections = Array.from({ length: readers }, () =>
  get(url, (response) => {
    let isFirst = true
    let rest = ''
    response.setEncoding('utf8').on('data', (text) => {
      const at = performance.timeOrigin + performance.now()
      if (isFirst && ++open === readers) parentPort.postMessage('open')
      isFirst = false
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue
        const { world_slug: world, current_turn: turn } = JSON.parse(line.slice('data: '.length))
        heard.push([`${world} ${turn}`, at])
      }
    })
    response.on('error', () => {})
  }).on('error', () => {}),
)

parentPort.on('message', () => {
  for (const connection of connections) connection.destroy()
  parentPort.postMessage(heard)
  parentPort.close()
})
