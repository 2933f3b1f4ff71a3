// Sockets that read the books of the load, and check that no frame is missing.

import { parentPort, workerData } from 'node:worker_threads'
import { io } from 'socket.io-client'
import type { ReaderPlan, ReaderTotals } from './readers.ts'

const { url, sockets, slugs }: ReaderPlan = workerData
const totals = { frames: 0, gaps: 0, ended: 0 }

function read(): Promise<void> {
  const socket = io(`${url}/markets`, { transports: ['websocket'], forceNew: true })
  const sequences = new Map<string, number>()
  socket.on('orderbookUpdate', ({ marketSlug, sequence }) => {
    totals.frames++
    const before = sequences.get(marketSlug)
    if (before !== undefined && sequence !== before + 1) totals.gaps++
    sequences.set(marketSlug, sequence)
  })
  socket.on('disconnect', () => {
    totals.ended++
    sequences.clear()
  })
  return new Promise((resolve, reject) => {
    socket.on('connect_error', reject)
    socket.on('connect', () => {
      socket.emit('subscribe_market_prices', { marketSlugs: slugs })
      resolve()
    })
  })
}

parentPort?.on('message', () => {
  const message: ReaderTotals = { ...totals }
  parentPort?.postMessage(message)
})
for (let each = 0; each < sockets; each++) await read()
parentPort?.postMessage(totals)
