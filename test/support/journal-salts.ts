import assert from 'node:assert/strict'
import { HEAD, KIND, PLACE } from '../../engine/wire/layout.ts'
import { recoverJournal } from '../../persistence/recovery.ts'

/** The low six bytes: salts of tests are numbers. */
const SALT_LOW = PLACE.salt + 26

/** Orders of a stopped server's journal below `belowSalt` are exactly those with these salts. */
export function checkNothingLost(dataDir: string, salts: Float64Array, belowSalt: number): void {
  const accepted = new Set(salts)
  let known = 0
  recoverJournal(dataDir, {
    visit: (_command, record) => {
      const bytes = Buffer.from(record.buffer, record.byteOffset, record.length)
      if (bytes[HEAD.kind] !== KIND.PLACE) return
      const salt = bytes.readUIntBE(SALT_LOW, 6)
      if (salt >= belowSalt) return
      assert.ok(accepted.has(salt), 'an order that was refused did nothing')
      known++
    },
  })
  assert.equal(known, accepted.size, 'an order that was taken is in the journal')
}
