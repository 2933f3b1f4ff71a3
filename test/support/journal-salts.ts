import assert from 'node:assert/strict'
import { Exchange } from '../../engine/core/exchange.ts'
import { HEAD, KIND, PLACE } from '../../engine/wire/record-layout.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'
import type { PoolSalts } from './order-pool.ts'

/** The low six bytes: salts of tests are numbers. */
const SALT_LOW = PLACE.salt + 26

/**
 * The orders below `belowSalt` in the journal of a stopped server are those that were taken, and
 * perhaps some that got no reply. Gives the state that one thread makes of the journal.
 */
export function checkNothingLost(dataDir: string, salts: PoolSalts, belowSalt: number): Exchange {
  const accepted = new Set(salts.accepted)
  const unknown = new Set(salts.unknown)
  const exchange = new Exchange()
  let known = 0
  recoverJournal(dataDir, {
    visit: (command, record) => {
      exchange.apply(command)
      const bytes = Buffer.from(record.buffer, record.byteOffset, record.length)
      if (bytes[HEAD.kind] !== KIND.PLACE) return
      const salt = bytes.readUIntBE(SALT_LOW, 6)
      if (salt >= belowSalt) return
      if (accepted.has(salt)) known++
      else assert.ok(unknown.has(salt), 'an order that was refused did nothing')
    },
  })
  assert.equal(known, accepted.size, 'an order that was taken is in the journal')
  assert.equal(exchange.checkInvariants(), null)
  return exchange
}
