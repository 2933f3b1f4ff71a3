import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { decideCall, decideOnce, decideSplit } from '../../../../engine/core/decide/money/moves.ts'
import { shareOf } from '../../../../engine/domain/fair-share.ts'
import type { CallOnce } from '../../../../engine/domain/moves/move-command.ts'
import { MOVE_LIMITS } from '../../../../engine/domain/moves/move-limits.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../../../engine/domain/shared-tables.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'

// Calls that move money are made once (rules §6.4).

const UNIT = 1_000_000

class World {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(1000 * UNIT)
  readonly marketId = this.driver.addMarket()

  once(by: CallOnce['by'], digest: string, bodyDigest = ''): CallOnce {
    const ttlMs = by === 'signed' ? MOVE_LIMITS.signedCallMs : MOVE_LIMITS.idempotencyKeyMs
    return { by, digest, bodyDigest, untilMs: this.driver.nowMs + ttlMs }
  }

  split(once: CallOnce): string | number {
    const { clearing } = this.driver
    const made = decideOnce(clearing, once, this.driver.nowMs)
    if (made instanceof Reject) return made.name
    if (made !== undefined) return made.seq
    const market = clearing.catalogue.existing(this.marketId)
    const decided = decideSplit(clearing, market, { profileId: this.ann, amountRaw: 1, once })
    if (decided instanceof Reject) return decided.name
    this.driver.control(decided)
    return clearing.lastSeq
  }
}

test('a signed call that comes again is refused until its signature is too old', () => {
  const world = new World()
  const call = world.once('signed', 'aa')
  assert.equal(typeof world.split(call), 'number')
  assert.equal(world.split(call), 'DUPLICATE_CALL')
  world.driver.nowMs = call.untilMs - 1
  assert.equal(world.split(call), 'DUPLICATE_CALL')
  world.driver.nowMs = call.untilMs
  assert.equal(typeof world.split(world.once('signed', 'aa')), 'number')
})

test('a key names its first call, and takes no other body', () => {
  const world = new World()
  const first = world.split(world.once('keyed', 'k1', 'b1'))
  assert.equal(typeof first, 'number')
  assert.equal(world.split(world.once('keyed', 'k1', 'b1')), first)
  assert.equal(world.split(world.once('keyed', 'k1', 'b2')), 'IDEMPOTENCY_KEY_TAKEN')
  assert.notEqual(world.split(world.once('keyed', 'k2', 'b2')), first)
})

test('a snapshot holds the calls, and they count for the state hash', () => {
  const world = new World()
  const { exchange } = world.driver
  const before = exchange.stateHash()
  const first = world.split(world.once('keyed', 'k1', 'b1'))
  assert.notEqual(exchange.stateHash(), before)
  const hash = exchange.stateHash()
  const restored = restore(capture(exchange))
  assert.equal(restored.stateHash(), hash)
  const again = decideOnce(restored.clearing, world.once('keyed', 'k1', 'b1'), world.driver.nowMs)
  assert(again !== undefined && !(again instanceof Reject))
  assert.equal(again.seq, first)
})

test('a call that is remembered for longer keeps no other one', () => {
  const world = new World()
  const { driver } = world
  const { calls } = driver.clearing
  const until = [500, 900, 100, 700, 300, 200, 800, 400, 600].map((ms) => driver.nowMs + ms)
  for (const [index, untilMs] of until.entries()) {
    const call = { ...world.once('keyed', `k${index}`), untilMs }
    assert.equal(typeof world.split(call), 'number')
  }
  for (let ended = 1; ended <= until.length; ended++) {
    driver.nowMs = Math.min(...until) + (ended - 1) * 100
    driver.control({ kind: 'rules', version: 1 })
    assert.equal(calls.owners.all, until.length - ended)
    const index = until.indexOf(driver.nowMs)
    assert.equal(calls.find({ by: 'keyed', digest: `k${index}` }, 0), undefined)
  }
  assert.equal(typeof world.split(world.once('keyed', 'k2')), 'number')
})

test('a profile has a bound on the calls that are remembered, and time frees it', () => {
  const world = new World()
  for (let call = 0; call < MOVE_LIMITS.callsOfProfileMax; call++) {
    assert.equal(typeof world.split(world.once('keyed', `k${call}`)), 'number')
  }
  assert.equal(world.split(world.once('keyed', 'one more')), 'CALL_LIMIT')
  world.driver.nowMs += MOVE_LIMITS.idempotencyKeyMs
  world.driver.control({ kind: 'rules', version: 1 })
  assert.equal(world.driver.clearing.calls.owners.all, 0)
  assert.equal(typeof world.split(world.once('keyed', 'one more')), 'number')
})

test('profiles that make all the calls they may leave a newcomer its own', () => {
  const world = new World()
  const { calls } = world.driver.clearing
  const { callsRememberedMax, callsOfProfileMax } = MOVE_LIMITS
  const others = Math.ceil(callsRememberedMax / callsOfProfileMax)
  for (let other = 1; other <= others; other++) {
    const profileId = world.ann + other
    for (let call = 0; call < callsOfProfileMax; call++) {
      const once = world.once('keyed', `${other} ${call}`)
      if (decideCall(world.driver.clearing, { profileId, once }) !== null) break
      calls.made({ ...once, profileId, seq: 1 })
    }
  }
  const share = shareOf(SHARED_TABLES.calls.owner, calls.owners.all)
  assert.ok(share >= 512, `the newcomer may make ${share} calls`)
  for (let call = 0; call < share; call++) {
    assert.equal(typeof world.split(world.once('keyed', `own ${call}`)), 'number')
  }
  assert.equal(world.split(world.once('keyed', 'one more')), 'CALL_LIMIT')
})
