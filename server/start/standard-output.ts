// Standard output may be a full disk, a closed pipe or a device. A failed write there must not stop
// an exchange, so these writes throw nothing and return the reason.

import { fsyncSync, writeSync } from 'node:fs'
import { codeOf, reasonOf } from '../../engine/domain/error-code.ts'

const STDOUT = 1
const PAUSE_MS = 5
const PAUSES_MAX = 200
/** Pipes and terminals have no fsync. */
const NO_FSYNC = new Set(['EINVAL', 'ENOTSUP', 'EROFS'])

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
}

function writeAll(text: string): void {
  let rest = Buffer.from(text)
  for (let pauses = 0; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(STDOUT, rest))
    } catch (error) {
      // Another process made the pipe non-blocking, and its reader is slow.
      if (codeOf(error) !== 'EAGAIN' || pauses === PAUSES_MAX) throw error
      pauses++
      pause()
    }
  }
}

function flush(): void {
  try {
    fsyncSync(STDOUT)
  } catch (error) {
    if (!NO_FSYNC.has(codeOf(error))) throw error
  }
}

/** Writes and flushes the text; returns the reason for a failure, or null. */
export function print(text: string): string | null {
  try {
    writeAll(text)
    flush()
    return null
  } catch (error) {
    return reasonOf(error)
  }
}
