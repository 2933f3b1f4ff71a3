// Hot path. bench/core.bench.ts
import type { AccountId } from '../../domain/ids.ts'
import { wideByAccount } from '../cells/columns.ts'

/** How many live orders there are (in flight, open or held), in all and of each account. */
export class LiveCounts {
  all = 0
  #ofAccount = new Int32Array(1024)

  of(accountId: AccountId): number {
    return accountId < this.#ofAccount.length ? this.#ofAccount[accountId] : 0
  }

  add(accountId: AccountId): void {
    if (accountId >= this.#ofAccount.length) {
      this.#ofAccount = wideByAccount(this.#ofAccount, accountId)
    }
    this.#ofAccount[accountId]++
    this.all++
  }

  remove(accountId: AccountId): void {
    this.#ofAccount[accountId]--
    this.all--
  }
}
