import { createHash } from 'node:crypto'
import { addressesOf } from '../../engine/core/accounts/accounts.ts'
import { capture } from '../../engine/core/capture.ts'
import { type Claims, claimsOf } from '../../engine/core/state/claims.ts'
import { ClaimTrees } from '../../persistence/solvency/claim-trees.ts'
import type { CollateralPlace } from '../../persistence/solvency/solvency-format.ts'
import { CommandFlow } from './command-flow.ts'

// Exchanges whose obligations are counted without a thread, and the tree once more, written slowly.

const KEYS = { salts: Buffer.alloc(32, 1), order: Buffer.alloc(32, 2) }
const ADDRESS_BYTES = 20

export function finished<T>(growing: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = growing.next()
    if (done === true) return value
  }
}

export interface Book {
  readonly seq: number
  readonly atMs: number
  readonly stateHash: string
  readonly claims: Claims
  readonly addresses: Uint8Array
  /** Absent when the exchange has the collateral itself. */
  readonly chain?: CollateralPlace | null
}

export function treesOf({ claims, addresses, chain = null, ...events }: Book): ClaimTrees {
  const metadata = { ...events, chain }
  return finished(ClaimTrees.growing(metadata, claims, { addresses, keys: KEYS }))
}

/** The claims of a state after some random commands. */
export function bookOf({ exchange }: CommandFlow): Book {
  const captured = capture(exchange)
  return {
    seq: captured.clock.lastSeq,
    atMs: captured.clock.lastNowMs,
    stateHash: exchange.stateHash(),
    claims: claimsOf(captured),
    addresses: addressesOf(captured.profiles),
  }
}

export function flowOf(seed: number, commands: number): CommandFlow {
  const flow = new CommandFlow(seed)
  while (flow.seq < commands) flow.run(1)
  return flow
}

/** Claims that nobody traded for: `counts` of holders for each token. */
export function madeBook(counts: readonly number[], below: (below: number) => number): Book {
  const profiles = Math.max(1, ...counts) + 3
  const starts = new Uint32Array(counts.length + 1)
  for (const [token, count] of counts.entries()) starts[token + 1] = starts[token] + count
  const holders = new Uint32Array(starts[counts.length])
  const amountsRaw = Float64Array.from(holders, () => 1 + below(2 ** 40))
  for (const [token, count] of counts.entries()) {
    for (let index = 0; index < count; index++) holders[starts[token] + index] = index + 1
  }
  const sums = counts.map((_count, token) => {
    const part = amountsRaw.subarray(starts[token], starts[token + 1])
    return part.reduce((sum, raw) => sum + BigInt(raw), 0n)
  })
  const markets = Array.from({ length: (counts.length - 1) / 2 }, (_none, place) => {
    const [yes, no] = [sums[1 + place * 2], sums[2 + place * 2]]
    const insideRaw = [yes, no].reduce((most, raw) => (raw > most ? raw : most), 0n)
    return {
      marketId: place * 3 + 1,
      conditionId: `0x${place.toString(16).padStart(64, '0')}`,
      isGroup: false,
      payout: null,
      insideRaw,
      yes: { claimsRaw: yes, debtsRaw: 0n },
      no: { claimsRaw: no, debtsRaw: 0n },
    }
  })
  const assetsRaw = markets.reduce((sum, { insideRaw }) => sum + insideRaw, sums[0])
  const collateral = { claimsRaw: sums[0], debtsRaw: 0n }
  const addresses = Buffer.alloc(profiles * ADDRESS_BYTES)
  for (let index = 0; index < profiles; index++) {
    addresses.writeUInt32BE(index + 1, index * ADDRESS_BYTES)
  }
  const claims = { assetsRaw, collateral, systemRaw: 0n, markets, starts, holders, amountsRaw }
  return { seq: 7, atMs: 1_700_000_000_000, stateHash: 'ab'.repeat(32), claims, addresses }
}

export interface SlowNode {
  readonly hash: Buffer
  readonly sum: bigint
}

const sha = (parts: readonly Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest()

export function number64(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(16, '0'), 'hex')
}

/** The tree of RFC 6962: the left side is the greatest power of two below the count. */
export function slowTop(nodes: readonly SlowNode[]): SlowNode {
  if (nodes.length === 0) return { hash: sha([Buffer.of(5)]), sum: 0n }
  if (nodes.length === 1) return nodes[0]
  let half = 1
  while (half * 2 < nodes.length) half *= 2
  const [left, right] = [slowTop(nodes.slice(0, half)), slowTop(nodes.slice(half))]
  const all = [Buffer.of(1), left.hash, number64(left.sum), right.hash, number64(right.sum)]
  return { hash: sha(all), sum: left.sum + right.sum }
}

export function slowLeaf(salt: Uint8Array, address: Uint8Array, raw: bigint): SlowNode {
  return { hash: sha([Buffer.of(0), salt, address, number64(raw)]), sum: raw }
}
