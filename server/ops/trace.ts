// `--trace FILE`: a line for each order, written without blocking main. Invariants: one write is
// under way at a time. Waiting lines are bounded. Lost lines are counted in metrics, and in a line
// of the file once it can be written again.

import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Generation, MarketId, Slot } from '../../engine/domain/ids.ts'
import type { OrderTimes } from './order-times.ts'

const WAITING_CHARACTERS_MAX = 8 << 20
const GATHER_MS = 50
const { O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants
/** The beginning of every line. A file that begins otherwise is not a trace. */
const LINE_HEAD = '{"trace":'

/** The outcome of a request for an order. */
export interface OrderEnd {
  readonly call: { readonly receivedMs: number; readonly timesRow: number }
  /** 0 when the client left before its reply. */
  readonly status: number
  readonly refusal: string | null
  readonly endedMs: number
}

export interface OrderNames {
  readonly orderIdOf: (slot: Slot, generation: Generation) => string
  readonly slugOf: (marketId: MarketId) => string
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Opens a file for appending; never waits for a reader of a pipe, and never truncates. */
async function openLines(path: string): Promise<FileHandle> {
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
  const stats = await file.stat()
  if (!stats.isFile() || stats.size === 0) return file
  const whole = await open(path, O_RDWR)
  const head = Buffer.alloc(LINE_HEAD.length)
  await whole.read(head, 0, head.length, 0)
  await whole.close()
  if (head.toString('latin1') === LINE_HEAD) return file
  await file.close()
  throw new Error('it is not a trace file; use a new file')
}

export class TraceFile {
  readonly #path: string
  readonly #onLost: (sentence: string) => void
  #file: FileHandle
  #waiting: string[] = []
  #waitingCharacters = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | null = null
  /** Lost lines that no line of the file reports yet. */
  #lost = 0
  #isAfterFailure = false
  droppedCount = 0
  writtenCount = 0

  private constructor(file: FileHandle, path: string, onLost: (sentence: string) => void) {
    this.#file = file
    this.#path = path
    this.#onLost = onLost
  }

  /**
   * Throws a sentence when the file cannot be opened. `onLost` receives a sentence when lines are
   * lost later.
   */
  static async open(path: string, onLost: (sentence: string) => void): Promise<TraceFile> {
    try {
      return new TraceFile(await openLines(path), path, onLost)
    } catch (error) {
      throw new Error(`The trace file ${path} cannot be opened: ${reasonOf(error)}`)
    }
  }

  add(line: string): void {
    if (this.#waitingCharacters >= WAITING_CHARACTERS_MAX) {
      this.#lose(1, 'the disk is slower than the orders')
      return
    }
    this.#waiting.push(line)
    this.#waitingCharacters += line.length
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS)
  }

  #lose(count: number, why: string): void {
    if (this.#lost === 0) {
      this.#onLost(`${this.#path}: trace lines are lost: ${why}`)
    }
    this.#lost += count
    this.droppedCount += count
  }

  #flush(): void {
    this.#timer = undefined
    if (this.#writing !== null || this.#waiting.length === 0) return
    this.#writing = this.#write().finally(() => {
      this.#writing = null
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS)
    })
  }

  async #write(): Promise<void> {
    const lines = this.#waiting
    const lost = this.#lost
    this.#waiting = []
    this.#waitingCharacters = 0
    const reported = lost > 0 ? `${LINE_HEAD}0,"dropped":${lost}}\n` : ''
    try {
      if (isGone(await this.#file.stat())) await this.#reopen()
      // Ends a line that a full disk truncated.
      const head = this.#isAfterFailure ? '\n' : ''
      await this.#file.appendFile(`${head}${reported}${lines.join('')}`)
      this.#isAfterFailure = false
      this.#lost -= lost
      this.writtenCount += lines.length
    } catch (error) {
      this.#isAfterFailure = true
      this.#lose(lines.length, reasonOf(error))
    }
  }

  /** Replaces a deleted file with a new one. */
  async #reopen(): Promise<void> {
    const next = await openLines(this.#path)
    await this.#file.close()
    this.#file = next
    this.#isAfterFailure = false
  }

  /** Writes the waiting lines and closes the file. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    while (this.#writing !== null || this.#waiting.length > 0) {
      this.#flush()
      await this.#writing
    }
    clearTimeout(this.#timer)
    await this.#file.close()
  }
}

const STAMP_NAMES = [
  'received',
  'read',
  'intake',
  'sequence',
  'journal',
  'match',
  'settle',
  'reply',
] as const

/** The line of an order whose row is not free yet. */
export function traceLine(times: OrderTimes, names: OrderNames, end: OrderEnd): string {
  const { receivedMs, timesRow: row } = end.call
  const { request, marketId, seq, slot, generation, stampsMs } = times.wayOf(row)
  const result = end.status === 0 ? 'left' : (end.refusal ?? 'accepted')
  const market = marketId === 0 ? '' : names.slugOf(marketId)
  const id = seq === 0 ? '' : names.orderIdOf(slot, generation)
  const [marketText, idText, resultText] = [market, id, result].map((text) => JSON.stringify(text))
  return (
    `${LINE_HEAD}${request},"market":${marketText},"order":${idText},"seq":${seq},` +
    `"status":${end.status},"result":${resultText},` +
    `${stampTexts([receivedMs, ...stampsMs, end.endedMs])}}\n`
  )
}

/** Microseconds since the Unix epoch; null for a step that the order did not reach. */
function stampTexts(stampsMs: readonly number[]): string {
  const texts = STAMP_NAMES.map((name, index) => {
    const ms = stampsMs[index]
    return `"${name}":${ms === 0 ? 'null' : Math.round((performance.timeOrigin + ms) * 1000)}`
  })
  return texts.join(',')
}

function isGone(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 0
}
