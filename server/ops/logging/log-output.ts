// Writes the lines of the log to standard error without blocking main. A stalled reader must not
// stop the exchange, but a write to a full pipe blocks; on another thread, it would delay the end
// of the process. So the writes of this file never block, and lines that do not fit are dropped.
// Invariants: one write is under way at a time. Waiting lines are bounded. Each dropped line is
// counted, and the log reports how many were lost once it can write again.
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { codeOf } from '../../../engine/domain/error-code.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

const STDERR = 2
/** Pause before a full pipe is retried. */
const RETRY_MS = 50
/** How long `end` waits for the remaining lines to be read. */
const END_MS = 500
const LAST_WORDS_MS = 200
const PAUSE_MS = 5

/** Opens the same pipe again with its own flags, so other writers of the pipe see no change. */
function reopened(): number | null {
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
}

/** Standard error as a file whose writes never block. */
function standardError(): number {
  const stats = fstatSync(STDERR)
  // A regular file never blocks, and its position is shared with other writers.
  if (stats.isFile()) return STDERR
  const own = stats.isSocket() ? null : reopened()
  if (own !== null) return own
  // Node makes the descriptor of a socket non-blocking; the socket has no other use here.
  if (!stats.isCharacterDevice())
    new Socket({ fd: STDERR, readable: false, writable: true }).unref()
  return STDERR
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
}

export class LogOutput {
  readonly #fd: number
  readonly #bytesMax: number
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** The bytes being written, and the number of lines that they started with. */
  #rest = Buffer.alloc(0)
  #restLines = 0
  #isWriting = false
  #timer: NodeJS.Timeout | undefined
  /** Lines lost since `onLost` was last called. */
  #lost = 0
  #onIdle: () => void = () => {}
  droppedCount = 0
  /** Called with the number of lost lines when lines can be written again. */
  onLost: (count: number) => void = () => {}

  constructor(fd = standardError(), bytesMax: number = LIMITS.logWaitingBytesMax) {
    this.#fd = fd
    this.#bytesMax = bytesMax
  }

  /** Writes one line, including its line end. */
  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#waitingBytes + this.#rest.length + bytes.length > this.#bytesMax) {
      this.#lose(1)
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#isWriting && this.#timer === undefined) this.#next()
  }

  /** Waits briefly until the remaining lines are read. */
  async end(): Promise<void> {
    if (this.#isIdle()) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
      timer = setTimeout(resolve, END_MS)
    })
    clearTimeout(timer)
  }

  /**
   * For the end of the process: writes the remaining lines and this one at once, if they are read.
   */
  lastWords(line: string): void {
    const untilMs = performance.now() + LAST_WORDS_MS
    // Another thread is writing these bytes and needs only a moment.
    if (this.#isWriting) {
      pause()
      this.#rest = Buffer.alloc(0)
    }
    let left = Buffer.concat([this.#rest, ...this.#waiting, Buffer.from(line)])
    while (left.length > 0 && performance.now() < untilMs) {
      try {
        left = left.subarray(writeSync(this.#fd, left))
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN') return
        pause()
      }
    }
  }

  #isIdle(): boolean {
    return this.#rest.length === 0 && this.#waiting.length === 0
  }

  #lose(lines: number): void {
    this.#lost += lines
    this.droppedCount += lines
  }

  #next(): void {
    this.#timer = undefined
    if (this.#rest.length === 0) {
      if (this.#waiting.length === 0) {
        this.#onIdle()
        return
      }
      this.#rest = Buffer.concat(this.#waiting)
      this.#restLines = this.#waiting.length
      this.#waiting = []
      this.#waitingBytes = 0
    }
    this.#isWriting = true
    write(this.#fd, this.#rest, (error, writtenBytes) => this.#wrote(error, writtenBytes))
  }

  #wrote(error: NodeJS.ErrnoException | null, writtenBytes: number): void {
    this.#isWriting = false
    if (error?.code === 'EAGAIN') {
      this.#timer = setTimeout(() => this.#next(), RETRY_MS).unref()
      return
    }
    if (error !== null) this.#lose(this.#restLines)
    this.#rest = this.#rest.subarray(error === null ? writtenBytes : this.#rest.length)
    if (error === null && this.#lost > 0 && this.#isIdle()) {
      const lost = this.#lost
      this.#lost = 0
      this.onLost(lost)
    }
    if (!this.#isWriting) this.#next()
  }
}
