// The transactions that the exchange sent to an EVM chain and that have not happened yet (design
// §12). An attempt is durable before it is sent. A nonce of an account belongs to one transaction:
// its attempts differ in fees only, so the chain executes one of them at most.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { MarketId, Seq } from '../../domain/ids.ts'

/** One signed form of a transaction. */
export interface SentAttempt {
  /** `0x` and 64 lowercase hex digits. */
  readonly txHash: string
  readonly rawTx: Uint8Array
}

export interface SentTransaction {
  readonly nonce: number
  /** The trades that it settles, by the seqs of their takers' orders, in its order. */
  readonly trades: readonly Seq[]
  /** The markets whose tokens it registers, or whose payouts it posts. */
  readonly markets: readonly MarketId[]
  /** The moves and approvals of server wallets that it makes; absent for none. */
  readonly moves?: readonly Seq[]
  /** Oldest first. */
  readonly attempts: readonly SentAttempt[]
}

interface Sender {
  nextNonce: number
  /** By ascending nonce. */
  readonly sent: Map<number, SentTransaction>
}

export type CapturedTransactions = readonly {
  /** EIP-55 text. */
  readonly account: string
  /** One more than the highest nonce that it used here. */
  readonly nextNonce: number
  /** By ascending nonce. */
  readonly sent: readonly SentTransaction[]
}[]

export class ChainTransactions {
  readonly #senders = new Map<string, Sender>()

  /** Transactions of all accounts. */
  get count(): number {
    let count = 0
    for (const { sent } of this.#senders.values()) count += sent.size
    return count
  }

  /** Returns the moves that are made. */
  apply(command: CommandOf<'transactions'>): readonly Seq[] {
    switch (command.kind) {
      case 'submitTransaction':
        this.#submitted(command)
        return []
      case 'endTransaction': {
        const { account, nonce, txHash, left = [] } = command
        const sent = this.#senders.get(account)?.sent
        const { attempts = [], moves = [] } = sent?.get(nonce) ?? {}
        const isKnown = attempts.some((each) => each.txHash === txHash)
        assert(isKnown, 'the transaction that happened was sent')
        sent?.delete(nonce)
        return moves.filter((seq) => !left.includes(seq))
      }
      default:
        command satisfies never
        return []
    }
  }

  #submitted(command: Extract<CommandOf<'transactions'>, { kind: 'submitTransaction' }>): void {
    const { account, nonce, txHash, rawTx, trades = [], markets = [], moves } = command
    const sender = this.#senders.get(account) ?? { nextNonce: 0, sent: new Map() }
    this.#senders.set(account, sender)
    const sent = sender.sent.get(nonce)
    assert(sent !== undefined || nonce >= sender.nextNonce, 'a nonce is used once')
    const attempts = [...(sent?.attempts ?? []), { txHash, rawTx }]
    const content = moves === undefined ? { trades, markets } : { trades, markets, moves }
    sender.sent.set(nonce, { ...(sent ?? { nonce, ...content }), attempts })
    sender.nextNonce = Math.max(sender.nextNonce, nonce + 1)
  }

  /** For the state hash; empty before the first transaction. */
  *hashedFields(): Iterable<unknown> {
    for (const { account, nextNonce, sent } of this.capture()) {
      const hashed = sent.map(({ nonce, trades, markets, moves = [], attempts }) => {
        const hashes = attempts.map(({ txHash }) => txHash)
        return [nonce, trades, markets, hashes, ...(moves.length > 0 ? [moves] : [])]
      })
      yield ['transactions', account, nextNonce, hashed]
    }
  }

  capture(): CapturedTransactions {
    const all = [...this.#senders].map(([account, { nextNonce, sent }]) => {
      return { account, nextNonce, sent: [...sent.values()] }
    })
    return all.sort((a, b) => (a.account < b.account ? -1 : 1))
  }

  /** Absent in snapshots of versions without an EVM chain. */
  restore(captured: CapturedTransactions = []): void {
    for (const { account, nextNonce, sent } of captured) {
      const all = sent.map((each) => [each.nonce, each] as const)
      this.#senders.set(account, { nextNonce, sent: new Map(all) })
    }
  }
}
