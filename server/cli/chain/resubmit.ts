// Sends again what an exchange sent to the chain and what is in no block. Nothing is signed here:
// the journal has the transactions.

import type { CapturedTransactions } from '../../../engine/core/money/chain-transactions.ts'
import {
  attemptOf,
  type ChainClient,
  type Offered,
  type Signed,
} from '../../settlement/evm/chain-client.ts'

/** A transaction, and where it is now. */
export interface Resubmitted {
  readonly account: string
  readonly nonce: number
  /** Of the attempt in a block, else of the newest. */
  readonly hash: string
  readonly found: Offered | { readonly kind: 'mined'; readonly block: bigint }
}

/** Why a node refuses, and what to do then. */
const ADVICE = [
  [
    /nonce too low/i,
    'the account used this nonce for something else, or the node is behind: look at the account ' +
      'in a block explorer, and let nobody but the exchange send with it',
  ],
  [
    /replacement transaction underpriced/i,
    'the node has a later attempt, or another transaction of this nonce: run this again after ' +
      'the next block',
  ],
  [/insufficient funds/i, 'send coins to the account, then run this again'],
  [
    /underpriced|fee|gas price/i,
    'only the running exchange raises fees, up to --gas-price-max: start it, and allow more if ' +
      'blocks take more',
  ],
] as const

/** Oldest nonce first; each is sent before the next one is looked at. */
export async function* resubmitted(
  chain: ChainClient,
  accounts: CapturedTransactions,
): AsyncGenerator<Resubmitted> {
  for (const { account, sent } of accounts) {
    for (const { nonce, attempts } of sent) {
      const all = attempts.map(({ txHash, rawTx }) => attemptOf(txHash, rawTx))
      yield { account, nonce, ...(await sentAgain(chain, all)) }
    }
  }
}

async function sentAgain(chain: ChainClient, attempts: readonly Signed[]) {
  const { hash, raw } = attempts[attempts.length - 1]
  const mined = await minedAmong(chain, attempts)
  if (mined !== null) return mined
  const found = await chain.offer({ hash, raw })
  // A node refuses what was mined since the look before.
  const since = found.kind === 'refused' ? await minedAmong(chain, attempts) : null
  return since ?? { hash, found }
}

async function minedAmong(chain: ChainClient, attempts: readonly Signed[]) {
  const receipt = await chain.receiptAmong(attempts)
  if (receipt === null) return null
  const { hash, block } = receipt
  return { hash, found: { kind: 'mined', block } as const }
}

export function foundText(found: Resubmitted['found']): string {
  switch (found.kind) {
    case 'accepted':
      return 'accepted'
    case 'known':
      return 'known already'
    case 'mined':
      return `in block ${found.block}`
    case 'refused':
      return `refused because ${found.why}; ${adviceOn(found.why)}`
    default:
      return found satisfies never
  }
}

function adviceOn(why: string): string {
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(why)) ?? []
  return advice ?? 'try another node with --chain-rpc'
}
