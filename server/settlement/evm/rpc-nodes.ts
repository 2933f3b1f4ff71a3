// The URLs of --chain-rpc. A call goes to the first that has not failed lately, and to the next
// when it fails: a URL that hangs delays one call, and not each.
// Invariant: no answer is taken from a URL that, at its last check, served another chain. A URL is
// checked again after a while, after it failed, and when the chain contradicts itself.

import { setTimeout as pause } from 'node:timers/promises'

/** A URL that failed is the last to be called for so long. */
const REST_MS = 60_000
/** How long the chain of a URL counts as known. */
const VERIFIED_MS = 5_000
/** Of a call that every URL failed, and the first pause before one. */
const [RETRIES, PAUSE_MS] = [2, 150]

export interface Call {
  readonly method: string
  readonly params?: unknown
}

/** Calls a URL by its index. */
export type Send = (index: number, call: Call) => Promise<unknown>

/**
 * What an error says of a URL: it failed; it answered, but another one may know more; or any other
 * would answer the same.
 */
export type Verdict = 'failed' | 'answered' | 'final'

export interface NodesParts {
  /** What a sentence may show of each URL. */
  readonly places: readonly string[]
  readonly chainId: number
  readonly verdictOf: (error: unknown) => Verdict
  /** Receives a sentence when a URL turns out to serve another chain. */
  readonly onWarning: (sentence: string) => void
}

interface Node {
  readonly index: number
  restsUntilMs: number
  verifiedUntilMs: number
  verifying: Promise<void> | null
  isOther: boolean
}

class OtherChain extends Error {}

export class RpcNodes {
  readonly #parts: NodesParts
  readonly #nodes: readonly Node[]

  constructor(parts: NodesParts) {
    this.#parts = parts
    this.#nodes = parts.places.map((_place, index) => {
      return { index, restsUntilMs: 0, verifiedUntilMs: 0, verifying: null, isOther: false }
    })
  }

  /** The chain of each URL is checked before its next answer. */
  verifyAgain(): void {
    for (const node of this.#nodes) node.verifiedUntilMs = 0
  }

  /** The answer of the first URL that gives one. */
  async call(call: Call, send: Send, retries = RETRIES): Promise<unknown> {
    for (let round = 0; ; round++) {
      try {
        return await this.#callEach(call, send)
      } catch (error) {
        if (round >= retries || this.#parts.verdictOf(error) !== 'failed') throw error
      }
      await pause(PAUSE_MS << round)
    }
  }

  async #callEach(call: Call, send: Send): Promise<unknown> {
    let failure: unknown
    for (const node of this.#inOrder()) {
      try {
        await this.#verify(node, send)
        return await send(node.index, call)
      } catch (error) {
        const verdict = this.#parts.verdictOf(error)
        if (verdict === 'final') throw error
        if (verdict === 'failed') {
          node.restsUntilMs = performance.now() + REST_MS
          node.verifiedUntilMs = 0
        }
        failure = error
      }
    }
    throw failure
  }

  /** As they are named; those that rest come last, and the one that rests longest first. */
  #inOrder(): Node[] {
    const nowMs = performance.now()
    const restOf = ({ restsUntilMs }: Node) => (restsUntilMs > nowMs ? restsUntilMs : 0)
    return [...this.#nodes].sort((a, b) => restOf(a) - restOf(b))
  }

  async #verify(node: Node, send: Send): Promise<void> {
    if (performance.now() < node.verifiedUntilMs) return
    node.verifying ??= this.#verified(node, send).finally(() => {
      node.verifying = null
    })
    await node.verifying
  }

  async #verified(node: Node, send: Send): Promise<void> {
    const { places, chainId, onWarning } = this.#parts
    const found = Number(await send(node.index, { method: 'eth_chainId' }))
    if (found === chainId) {
      node.isOther = false
      node.verifiedUntilMs = performance.now() + VERIFIED_MS
      return
    }
    const sentence = otherChain(places[node.index], found, chainId)
    if (!node.isOther) onWarning(`A URL of --chain-rpc is not used: ${sentence}.`)
    node.isOther = true
    throw new OtherChain(sentence)
  }
}

export function otherChain(place: string, found: number, chainId: number): string {
  return `${place} serves chain ${found}, and --chain-id is ${chainId}`
}
