// Signs orders ahead of the thread that sends them: a signature costs more than a request.

import { parentPort, workerData } from 'node:worker_threads'
import { keccakReady } from '../../crypto/keccak.ts'
import type { Venue } from './load-plan.ts'
import { type SignedKind, signOrder } from './signed-orders.ts'

const venue: Venue = workerData
await keccakReady
parentPort?.on('message', (wanted: { kind: SignedKind; count: number } | null) => {
  if (wanted === null) process.exit(0)
  const { kind, count } = wanted
  const orders = Array.from({ length: count }, () => signOrder(kind, venue))
  parentPort?.postMessage({ kind, orders })
})
