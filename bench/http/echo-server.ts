// The baseline of POST /orders. Threads with uWebSockets.js on one port authenticate, parse and
// verify each order, and the reply is its echo. There is no sequencer and no book. With a folder it
// is a durable echo: the journal thread commits each order's record before the reply.

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { Ring } from '../../engine/thread/ring.ts'
import { spawn } from '../../engine/thread/spawn.ts'
import { HEAD } from '../../engine/wire/record-layout.ts'
import { freePort } from '../../server/edge/http/gateway/listening/listen-check.ts'
import type { TokenEntry } from '../../server/edge/intake/core-intake.ts'
import type { MarketEntry } from '../../server/edge/intake/directory.ts'
import { startJournal } from '../../test/support/journal-records.ts'
import { serve } from '../harness/child.ts'

/** The metadata that the server needs to verify orders. */
export interface EchoSetting {
  readonly tokens: readonly (Omit<TokenEntry, 'secret'> & { readonly secretBase64: string })[]
  readonly markets: readonly MarketEntry[]
  /** Threads with connections. */
  readonly threads: number
  /** Where each order is journaled; null for a server without a disk. */
  readonly dataDir: string | null
}

export interface EchoData extends Pick<EchoSetting, 'tokens' | 'markets'> {
  readonly port: number
  /** Records of orders for the journal; null without one. A message confirms so many of them. */
  readonly records: SharedArrayBuffer | null
}

const RING_BYTES = 1 << 22
/** A message to a thread: it closes its connections and ends. */
export const STOP = -1

function start(data: EchoData, index: number): Worker {
  const name = `echo-${index}`
  const worker = spawn(new URL('./echo.worker.ts', import.meta.url), { name, workerData: data })
  worker.on('error', (error) => {
    throw error
  })
  return worker
}

/** Resolves when the thread listens. */
function listening(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('message', () => resolve())
  })
}

/** Journals the records of all threads, and confirms them to their threads. */
async function journalAll(
  dataDir: string,
  workers: readonly Worker[],
  rings: readonly Ring[],
): Promise<void> {
  /** The thread of each record that is not durable, by rising seq; the first has `firstSeq`. */
  let waiting: number[] = []
  let firstSeq = 1
  const { journal, fault } = await startJournal(dataDir, {
    onDurable: (seq: number) => {
      const counts = workers.map(() => 0)
      for (const index of waiting.slice(0, seq - firstSeq + 1)) counts[index]++
      waiting = waiting.slice(seq - firstSeq + 1)
      firstSeq = seq + 1
      for (const [index, count] of counts.entries()) {
        if (count > 0) workers[index].postMessage(count)
      }
    },
  })
  void fault.then((sentence) => {
    throw new Error(String(sentence))
  })
  const take = (index: number) => {
    const ring = rings[index]
    do {
      while (ring.next()) {
        const record = new Uint8Array(ring.bytes)
        const seq = firstSeq + waiting.length
        new DataView(record.buffer).setFloat64(HEAD.seq, seq, true)
        assert(journal.freeBytes() >= record.length, 'the journal has capacity for open requests')
        journal.append(seq, record)
        waiting.push(index)
      }
      ring.free()
    } while (!ring.arm())
    journal.send()
  }
  for (const [index, worker] of workers.entries()) {
    worker.on('message', () => take(index))
    take(index)
  }
}

/** A service; its first message is its port. */
export async function echoOrders(setting: EchoSetting): Promise<void> {
  const { tokens, markets, dataDir, threads } = setting
  const port = await freePort('127.0.0.1')
  const shared = Array.from({ length: threads }, () => Ring.allocate(RING_BYTES))
  const workers = shared.map((records, index) =>
    start({ tokens, markets, port, records: dataDir === null ? null : records }, index),
  )
  await Promise.all(workers.map(listening))
  if (dataDir !== null) {
    await journalAll(
      dataDir,
      workers,
      shared.map((records) => new Ring(records)),
    )
  }
  const end = () =>
    Promise.all(
      workers.map((worker) => {
        const ended = once(worker, 'exit')
        worker.postMessage(STOP)
        return ended
      }),
    )
  serve(port, () => null, end)
}
