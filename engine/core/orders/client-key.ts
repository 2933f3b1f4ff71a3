// The 64-bit key of a used (account, client order id): the first bytes of a SHA-256, so that no id
// of one account can be crafted to collide with an id of another.

import type { AccountId } from '../../domain/ids.ts'
import { sha256, utf8ToBytes } from '../cells/digest.ts'

/**
 * The last key. One thread works on one order at a time and needs its key several times in a row.
 */
export const clientKey = { high: 0, low: 0 }

let lastAccount = -1
let lastId = ''

/** Writes the key of the pair to `clientKey`. */
export function findClientKey(accountId: AccountId, clientOrderId: string): void {
  if (accountId === lastAccount && clientOrderId === lastId) return
  lastAccount = accountId
  lastId = clientOrderId
  const digest = sha256(utf8ToBytes(`client order id\n${accountId}\n${clientOrderId}`))
  const view = new DataView(digest.buffer, digest.byteOffset)
  clientKey.high = view.getUint32(0)
  clientKey.low = view.getUint32(4)
}
