import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { lowerPriority } from '../../engine/thread/low-priority.ts'
import type { ClaimTrees } from './claim-trees.ts'
import { counting, proofPage, summaryOf, tokensPage } from './counting.ts'
import type { SolvencyMessage, SolvencyRequest, SolvencyThreadData } from './solvency-thread.ts'

// Counts the obligations of one snapshot at a time, and proves balances of the newest one.

/** Between two slices of work the thread answers requests. */
const SLICE_MS = 2

assert(parentPort !== null, 'obligations are counted in a separate thread')
lowerPriority()
const port = parentPort
const { folder }: SolvencyThreadData = workerData
let trees: ClaimTrees | null = null

const say = (message: SolvencyMessage) => port.postMessage(message)

function count(growing: Generator<undefined, ClaimTrees>, startMs: number): void {
  const untilMs = performance.now() + SLICE_MS
  try {
    while (performance.now() < untilMs) {
      const { done, value } = growing.next()
      if (done !== true) continue
      trees = value
      say({ kind: 'counted', summary: summaryOf(trees, performance.now() - startMs) })
      return
    }
  } catch (error) {
    say({ kind: 'uncounted', reason: error instanceof Error ? error.message : String(error) })
    return
  }
  setImmediate(count, growing, startMs)
}

port.on('message', (request: SolvencyRequest) => {
  switch (request.kind) {
    case 'count':
      count(counting(folder, request.seq, request.contracts), performance.now())
      return
    case 'prove':
      say({ kind: 'answer', id: request.id, answer: trees && proofPage(trees, request) })
      return
    case 'tokens':
      say({ kind: 'answer', id: request.id, answer: trees && tokensPage(trees, request) })
      return
  }
})
