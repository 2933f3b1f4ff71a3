import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Seq } from '../../../../engine/domain/ids.ts'

// What every thread knows of the cluster, in shared memory:
//
//   0 decides i32 (1 when this node decides) │ 8 seq f64 (of the newest durable command) │
//   16 clock ahead f64 (of the log minus this machine's, in ms) │
//   24 key 32 (by which nodes prove themselves)
//
// A node that forwards a call names its caller's address, and proves itself by a MAC under a key of
// the folder: only nodes of the cluster have it.

/** The least seq that a read must show. */
export const MIN_SEQ = 'x-min-seq'
/** The seq of the newest command that a reply may show. */
export const SEQ = 'x-seq'
/** `<Unix ms> <address> <MAC>`, where the MAC covers the time, method, target and address. */
export const FORWARDED = 'x-outcomex-forwarded'

const SEQ_AT = 8
const KEY_AT = 24
const KEY_BYTES = 32
const SHARED_BYTES = KEY_AT + KEY_BYTES
/** What nodes may disagree about the clock of the log, and a copied header is useless after it. */
const SKEW_MS = 60_000
const FORM = /^(\d{13}) ([0-9a-fA-F.:]{1,45}) ([0-9a-f]{64})$/

interface Forwarded {
  readonly method: string
  readonly target: string
}

export class ClusterCell {
  readonly shared: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #f64s: Float64Array
  readonly #key: Uint8Array

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(SHARED_BYTES)) {
    this.shared = shared
    this.#words = new Int32Array(shared, 0, 1)
    this.#f64s = new Float64Array(shared, SEQ_AT, 2)
    this.#key = new Uint8Array(shared, KEY_AT, KEY_BYTES)
  }

  /** Whether this node decides. Otherwise calls that change something go to the leader. */
  get decides(): boolean {
    return Atomics.load(this.#words, 0) === 1
  }

  set decides(decides: boolean) {
    Atomics.store(this.#words, 0, decides ? 1 : 0)
  }

  set seq(seq: Seq) {
    this.#f64s[0] = seq
  }

  /** The header of a reply, which shows nothing of a later command. */
  get seqLine(): string {
    return `\r\n${SEQ}: ${this.#f64s[0]}`
  }

  set key(key: Uint8Array) {
    this.#key.set(key)
  }

  /** The clock of the log minus the clock of this machine, in milliseconds. */
  set clockAheadMs(aheadMs: number) {
    this.#f64s[1] = aheadMs
  }

  /**
   * The header of a call that this node forwards for a caller at `address`. `machineMs` is the
   * clock of this machine.
   */
  proofOf(call: Forwarded, address: string, machineMs: number): string {
    const nowMs = this.#logMs(machineMs)
    return `${nowMs} ${address} ${this.#macOf(call, address, nowMs).toString('hex')}`
  }

  /** The address of the caller for whom a node forwarded this call; null without a valid proof. */
  addressOf(call: Forwarded, header: string | undefined, machineMs: number): string | null {
    const [, ms, address, mac] = FORM.exec(header ?? '') ?? []
    if (ms === undefined || Math.abs(this.#logMs(machineMs) - Number(ms)) > SKEW_MS) return null
    const expected = this.#macOf(call, address, Number(ms))
    return timingSafeEqual(expected, Buffer.from(mac, 'hex')) ? address : null
  }

  #logMs(machineMs: number): number {
    return Math.round(machineMs + this.#f64s[1])
  }

  #macOf({ method, target }: Forwarded, address: string, ms: number): Buffer {
    // Hashing takes no views of shared memory.
    const key = Uint8Array.from(this.#key)
    return createHmac('sha256', key).update(`${ms}\n${method}\n${target}\n${address}`).digest()
  }
}
