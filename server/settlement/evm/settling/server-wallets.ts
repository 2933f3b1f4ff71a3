// Main's side of the server wallets: what they must do on the chain, with their keys.

import type { Clearing } from '../../../../engine/core/clearing.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { ControlCommand } from '../../../../engine/domain/command.ts'
import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { addressOfKey } from '../../../crypto/ecdsa.ts'
import { checkedAddress, evmAddress } from '../evm-address.ts'
import type { WalletJob, WalletWork } from './chain-messages.ts'

export class ServerWallets {
  readonly #clearing: Clearing
  readonly #keyOf: (profileId: ProfileId) => Uint8Array

  constructor(clearing: Clearing, keyOf: (profileId: ProfileId) => Uint8Array) {
    this.#clearing = clearing
    this.#keyOf = keyOf
  }

  /** All that is not done, in the order of its commands. */
  waiting(): WalletJob[] {
    const { transactions, chainFunds, accounts } = this.#clearing
    const { partners } = accounts
    const sent = new Set(
      transactions.capture().flatMap((each) => each.sent.flatMap(({ moves = [] }) => moves)),
    )
    const moves = chainFunds.due().map(({ seq }) => this.#moveJob(seq, sent.has(seq)))
    const approvals = partners.submittedBy(Number.POSITIVE_INFINITY).map((profileId) => {
      const seq = partners.submittedSeqOf(profileId)
      return this.#approvalJob(seq, profileId, sent.has(seq))
    })
    return [...moves, ...approvals].sort((a, b) => a.seq - b.seq)
  }

  /** What a command that was just applied adds; null for nothing. */
  applied(command: ControlCommand): WalletJob | null {
    const { seq, kind } = command
    if (kind === 'submitApprovals') return this.#approvalJob(seq, command.profileId, false)
    return this.#clearing.chainFunds.dueMove(seq) === undefined ? null : this.#moveJob(seq, false)
  }

  #moveJob(seq: Seq, isSent: boolean): WalletJob {
    const move = this.#clearing.chainFunds.dueMove(seq)
    assert(move !== undefined, 'the move is due')
    return this.#job(seq, move.owner, { isSent, work: { kind: 'move', move } })
  }

  #approvalJob(seq: Seq, profileId: ProfileId, isSent: boolean): WalletJob {
    const { submitted = [] } = this.#clearing.accounts.partners.byId(profileId) ?? {}
    const spenders = submitted.map(checkedAddress)
    return this.#job(seq, profileId, { isSent, work: { kind: 'approve', profileId, spenders } })
  }

  #job(
    seq: Seq,
    profileId: ProfileId,
    more: { readonly isSent: boolean; readonly work: WalletWork },
  ): WalletJob {
    const key = this.#keyOf(profileId)
    const account = this.#clearing.accounts.accountOf(profileId)
    assert(account !== undefined, 'a server wallet has an account')
    const owner = evmAddress(addressOfKey(key))
    return { seq, wallet: checkedAddress(account), owner, key, ...more }
  }
}
