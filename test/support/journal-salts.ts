import assert from 'node:assert/strict'
import { Exchange } from '../../engine/core/exchange.ts'
import { HEAD, KIND, PLACE } from '../../engine/wire/record-layout.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'
import type { PoolSalts } from './order-pool.ts'

/** The low six bytes of a salt: salts of tests are numbers, so these bytes hold all of one. */
const SALT_LOW = PLACE.salt + 26

/**
 * Checks the journal of a stopped server: it holds every accepted order below `belowSalt`, and
 * perhaps some orders that got no reply. Gives the state that one thread makes of the journal.
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
      else assert.ok(unknown.has(salt), 'a refused order is not in the journal')
    },
  })
  assert.equal(known, accepted.size, 'every accepted order is in the journal')
  assert.equal(exchange.checkInvariants(), null)
  return exchange
}
