// Preloaded into the server of a soak, and into each of its threads: `--require` does both. At a
// message of the parent every thread collects its garbage and publishes what is left. The program
// itself has no such entry point; the channel exists only where a parent of the tests made it.

import crypto from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import type { HeldMemory } from './soak-memory.ts'

// Shared by all threads: Int32 [collections requested, slots given], then for each slot an Int32
// with the last collection that its thread answered; then two Float64 for each slot.

const SHARED = 'memory of the soak'
const SLOTS = 256
const FIRST_SLOT = 2
const FIGURES_AT = Int32Array.BYTES_PER_ELEMENT * (FIRST_SLOT + SLOTS)
const ENDED = -1
const LOOK_MS = 20
/** A thread that answers no sooner is stuck, and the parent gives up. */
const DEADLINE_MS = 30_000
/** The header of a string, and its place in the array of what is kept. */
const STRING_BYTES = 24

function shared(): SharedArrayBuffer {
  const given = getEnvironmentData(SHARED)
  if (given instanceof SharedArrayBuffer) return given
  const made = new SharedArrayBuffer(FIGURES_AT + SLOTS * 2 * Float64Array.BYTES_PER_ELEMENT)
  setEnvironmentData(SHARED, made)
  return made
}

const buffer = shared()
const marks = new Int32Array(buffer, 0, FIRST_SLOT + SLOTS)
const figures = new Float64Array(buffer, FIGURES_AT)
const slot = Atomics.add(marks, 1, 1)
let answered = 0

/** Runs at the start of each wait for work and in each pass of an event loop. */
function look(): void {
  const requested = Atomics.load(marks, 0)
  if (requested === answered) return
  answered = requested
  // The first collection finds what finalizers then let go of.
  globalThis.gc?.()
  globalThis.gc?.()
  const { used_heap_size, external_memory } = getHeapStatistics()
  figures[2 * slot] = used_heap_size
  figures[2 * slot + 1] = external_memory
  Atomics.store(marks, FIRST_SLOT + slot, requested)
}

const waitOf = Atomics.wait
Object.defineProperty(Atomics, 'wait', {
  value: (words: Int32Array, at: number, value: number, timeoutMs?: number) => {
    look()
    return waitOf(words, at, value, timeoutMs)
  },
})
setInterval(look, LOOK_MS).unref()
process.on('exit', () => Atomics.store(marks, FIRST_SLOT + slot, ENDED))

/**
 * A leak on purpose: each signed call leaves this many bytes in the thread that checks it. Digests
 * as text are those of calls; the journal's are bytes.
 */
function leak(bytes: number): void {
  const kept: string[] = []
  const { digest } = crypto.Hmac.prototype
  const source = Buffer.alloc(Math.max(1, bytes - STRING_BYTES), 'x')
  Object.defineProperty(crypto.Hmac.prototype, 'digest', {
    value: function (this: crypto.Hmac, ...args: unknown[]) {
      if (args[0] === 'base64') kept.push(source.toString('latin1'))
      return Reflect.apply(digest, this, args)
    },
  })
}

const leakBytes = Number(process.env.SOAK_LEAK_BYTES ?? 0)
if (leakBytes > 0) leak(leakBytes)

function held(requested: number): HeldMemory | null {
  const sums = { heapBytes: 0, externalBytes: 0, threads: 0 }
  for (let each = 0; each < Atomics.load(marks, 1); each++) {
    const mark = Atomics.load(marks, FIRST_SLOT + each)
    if (mark === ENDED) continue
    if (mark !== requested) return null
    sums.heapBytes += figures[2 * each]
    sums.externalBytes += figures[2 * each + 1]
    sums.threads++
  }
  return sums
}

function collect(): void {
  const requested = Atomics.add(marks, 0, 1) + 1
  const deadlineMs = performance.now() + DEADLINE_MS
  const timer = setInterval(() => {
    look()
    const sums = held(requested)
    if (sums === null && performance.now() < deadlineMs) return
    clearInterval(timer)
    process.send?.(sums)
  }, LOOK_MS)
}

if (isMainThread) {
  process.on('message', collect)
  // The program ends by itself when its work is over, with or without a parent.
  process.channel?.unref()
}
