// The 64 bits by which (account, client order id) is known once it is used: the head of a SHA-256,
// so that nobody can make an id under his account that is taken for one of another's.

import type { AccountId } from '../../domain/ids.ts'
import { sha256, utf8ToBytes } from '../cells/digest.ts'

/** The key asked for last: one thread, one order at a time, asked for a few times in a row. */
export const clientKey = { high: 0, low: 0 }

let lastAccount = -1
let lastId = ''

/** Leaves the key of the pair in `clientKey`. */
export function findClientKey(accountId: AccountId, clientOrderId: string): void {
  if (accountId === lastAccount && clientOrderId === lastId) return
  lastAccount = accountId
  lastId = clientOrderId
  const digest = sha256(utf8ToBytes(`client order id\n${accountId}\n${clientOrderId}`))
  const view = new DataView(digest.buffer, digest.byteOffset)
  clientKey.high = view.getUint32(0)
  clientKey.low = view.getUint32(4)
}
