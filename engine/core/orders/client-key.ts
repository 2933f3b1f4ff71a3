// The 64-bit key of a used (account, client order id): the head of a SHA-256. So nobody can make an
// id of one account that is taken for an id of another account.

import type { AccountId } from '../../domain/ids.ts'
import { sha256, utf8ToBytes } from '../cells/digest.ts'

/**
 * The last key. One thread works on one order at a time and asks for its key a few times in a row,
 * so the last key is kept.
 */
export const clientKey = { high: 0, low: 0 }

let lastAccount = -1
let lastId = ''

/** Puts the key of the pair into `clientKey`. */
export function findClientKey(accountId: AccountId, clientOrderId: string): void {
  if (accountId === lastAccount && clientOrderId === lastId) return
  lastAccount = accountId
  lastId = clientOrderId
  const digest = sha256(utf8ToBytes(`client order id\n${accountId}\n${clientOrderId}`))
  const view = new DataView(digest.buffer, digest.byteOffset)
  clientKey.high = view.getUint32(0)
  clientKey.low = view.getUint32(4)
}
