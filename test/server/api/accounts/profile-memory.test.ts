import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Clearing } from '../../../../engine/core/clearing.ts'
import { OrderTable } from '../../../../engine/core/orders/order-table.ts'
import type { ControlCommand } from '../../../../engine/domain/command.ts'
import { decodeCommand, encodeControl } from '../../../../engine/wire/codec.ts'
import { openSeal } from '../../../../persistence/folder-key.ts'
import { digestOf } from '../../../../server/auth/session.ts'
import { Directory } from '../../../../server/edge/intake/directory.ts'
import { intakeProfile } from '../../../../server/edge/intake/intake-profile.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { profileFields } from '../../../support/specs.ts'

// The memory of an idle profile on all threads that know it: main, the follower and two intake
// threads. All of them run on this one thread, so that the test can measure heap and buffers.

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const PROFILES = 50_000
const BYTES_MAX = 200
const SESSIONS = 10_000
const START_MS = 1_800_000_000_000
const DAY_MS = 24 * 3_600_000

const seal = openSeal(newFolder())
const main = new Clearing(new OrderTable(16))
const follower = new Clearing(new OrderTable(16))
const intakes = [1, 2].map(() => new Directory({ name: 'test', chainId: 1 }))
let nowMs = START_MS

type Body<T> = T extends ControlCommand ? Omit<T, 'seq' | 'nowMs'> : never

/** Each thread takes the command from bytes, as in the server. */
function apply(body: Body<ControlCommand>): void {
  const record = encodeControl({ ...body, seq: main.lastSeq + 1, nowMs })
  for (const thread of [main, follower]) thread.admit(decodeCommand(record))
}

function make(changes: (profileId: number) => object): number {
  const profileId = main.accounts.count + 1
  const mixed = (BigInt(profileId) * 0x9e3779b97f4a7c15f39cc0605cedc835n) & ((1n << 160n) - 1n)
  const account = `0x${mixed.toString(16).padStart(40, '0')}`
  const profile = { ...profileFields(profileId), displayName: null, ...changes(profileId), account }
  apply({ kind: 'createProfile', profileId, profile, token: null })
  const replicated = intakeProfile(main.accounts, seal, profileId)
  for (const intake of intakes)
    if (replicated !== null) intake.apply({ kind: 'profile', ...replicated })
  return profileId
}

function heldBytes(): number {
  for (let each = 0; each < 3; each++) collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function bytesEach(count: number, work: (index: number) => void): number {
  const before = heldBytes()
  for (let index = 0; index < count; index++) work(index)
  return (heldBytes() - before) / count
}

test(`an idle profile keeps at most ${BYTES_MAX} bytes over all threads`, (t) => {
  make(() => ({}))
  const rows: [string, number, (profileId: number) => object][] = [
    ['that only logged in', PROFILES, () => ({})],
    ['with all texts', PROFILES / 4, () => ({ bio: 'x'.repeat(280), displayName: 'y'.repeat(44) })],
    ['with a username', PROFILES / 4, (id) => ({ username: `trader-number-${id}` })],
  ]
  for (const [what, count, changes] of rows) {
    const bytes = bytesEach(count, () => make(changes))
    t.diagnostic(`a profile ${what}: ${bytes.toFixed(0)} bytes`)
    assert.ok(bytes <= BYTES_MAX, `${what}: ${bytes.toFixed(0)} bytes`)
  }
  const wallet = (id: number) => ({ smartWallet: `0x${id.toString(16).padStart(40, '7')}` })
  const bytes = bytesEach(PROFILES / 4, () => make(wallet))
  t.diagnostic(`a profile with a smart wallet: ${bytes.toFixed(0)} bytes`)
  assert.ok(bytes <= BYTES_MAX + 40, 'two threads hold the twenty bytes of the wallet')
})

/**
 * Opens sessions; half of them are logged out, the others expire. Gives the bytes of an open
 * session.
 */
function comeAndGo(count: number): number {
  const expiresMs = nowMs + 30 * DAY_MS
  const nonceExpiresMs = nowMs + 5 * 60_000
  const opened = bytesEach(count, (index) => {
    const sessionDigest = digestOf(`session ${index}`)
    const nonce = `nonce ${nowMs} ${index}`
    const login = { profileId: index + 1, sessionDigest, expiresMs, nonce }
    apply({ kind: 'login', ...login, nonceExpiresMs })
  })
  for (let index = 0; index < count / 2; index++) {
    apply({ kind: 'logout', sessionDigest: digestOf(`session ${index * 2}`) })
  }
  nowMs += 31 * DAY_MS
  // Any command forgets some of the expired sessions.
  for (let index = 0; index < count / 8; index++) apply({ kind: 'logoutEverywhere', profileId: 1 })
  assert.equal(main.accounts.sessionCount, 0)
  return opened
}

test('sessions that were logged out or expired take no memory', (t) => {
  // The first round lets V8 allocate what it keeps for the code. It compiles on threads of its own,
  // so a later round may pay for code too; a leak would be in every round.
  comeAndGo(SESSIONS)
  const rounds = [1, 2, 3].map(() => {
    const before = heldBytes()
    const opened = comeAndGo(SESSIONS)
    return { opened, kept: (heldBytes() - before) / SESSIONS }
  })
  const kept = Math.min(...rounds.map((round) => round.kept))
  t.diagnostic(`an open session with its nonce: ${rounds[0].opened.toFixed(0)} bytes`)
  t.diagnostic(`kept of each session after all ended: ${kept.toFixed(1)} bytes`)
  assert.ok(kept < 8, `${kept.toFixed(1)} bytes`)
})
