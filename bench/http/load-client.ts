// Latencies of ready-made requests. Each order starts at its time of a constant rate, whether
// earlier ones have ended or not. autocannon starts the next order only after the last reply. So it
// sends less to a slow server, and misses the wait of the orders that should have started. Its
// correction for that is a guess.

import { once } from 'node:events'
import { spawn } from '../../engine/thread/spawn.ts'
import { Connections } from '../../server/cli/load/connections.ts'
import { type Latencies, paced } from '../harness/pacer.ts'

export interface LoadPlan {
  readonly port: number
  readonly requests: readonly Uint8Array[]
  readonly connections: number
  readonly perSecond: number
}

interface LoadResult {
  /** The first reply other than 201; '' when there was none. */
  readonly refusal: string
  readonly latencies: Latencies
}

/** Runs in a thread: see `latenciesOf`. */
export async function sendAtRate(plan: LoadPlan): Promise<LoadResult> {
  const { port, connections, perSecond, requests } = plan
  const target = { host: '127.0.0.1', port, authority: 'bench', isSecure: false, connections }
  const client = new Connections(target)
  await client.open()
  let refusal = ''
  const latencies = await paced({ perSecond, count: requests.length }, (index, done) => {
    const make = () => requests[index]
    client.send(make, ({ status, body }) => {
      if (status !== 201 && refusal === '') refusal = `${status} ${body.toString('utf8')}`
      done()
    })
  })
  client.close()
  return { refusal, latencies }
}

/** Sends orders at a constant rate, from a thread of its own; every order must be accepted. */
export async function latenciesOf(plan: LoadPlan): Promise<Latencies> {
  const entry = new URL('./load.worker.ts', import.meta.url)
  const worker = spawn(entry, { name: 'load', workerData: plan })
  const [result] = await once(worker, 'message')
  await worker.terminate()
  const { refusal, latencies }: LoadResult = result
  if (refusal !== '') throw new Error(`not every order was accepted: ${refusal}`)
  return latencies
}
