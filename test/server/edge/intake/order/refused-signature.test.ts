import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccakReady } from '../../../../../server/crypto/keccak.ts'
import type { Directory } from '../../../../../server/edge/intake/directory.ts'
import { Intake } from '../../../../../server/edge/intake/intake.ts'
import {
  accountOf,
  type ClientOrder,
  signClientOrder,
} from '../../../../../server/edge/intake/order/client-order.ts'
import { RESULT } from '../../../../../server/messages/intake-layout.ts'
import { mirroredText } from '../../../../support/mirrored.ts'
import * as kit from '../order-kit.ts'

await keccakReady

const VENUE = `0x${'ab'.repeat(20)}`
const ADAPTER = `0x${'cd'.repeat(20)}`
const DOMAIN = {
  name: kit.DOMAIN.name,
  version: '1',
  chainId: 8453,
  verifyingContract: kit.EXCHANGE,
}
const account = accountOf(new Uint8Array(32).fill(0x11))

interface Flaw {
  readonly code: string
  readonly message: string
  readonly domain?: unknown
  readonly signedDomain?: Readonly<Record<string, unknown>>
  readonly recoveredSigner?: string | null
}

function intake(smartWallet: string | null = null): Intake {
  const known: Directory = kit.directory()
  const other = { ...kit.MARKET, marketId: 43, book: 8, slug: 'snow', exchangeAddress: VENUE }
  known.apply({ ...other, adapterAddress: ADAPTER })
  if (smartWallet !== null) {
    const wallet = { profileId: 7, partnerId: 0, account, smartWallet, feeBps: 300 }
    known.apply({ kind: 'profile', ...wallet, keyBase64: '', approved: [] })
  }
  return new Intake(known)
}

function textOf(result: Uint8Array): string {
  const view = Buffer.from(result)
  return view.toString('utf8', RESULT.record + view.readUInt32LE(RESULT.recordBytes))
}

function flawOf(order: ClientOrder, fields: object = {}, by = intake()): Flaw {
  const body = { ...kit.orderBody(order), ...fields }
  const result = by.check(kit.request(JSON.stringify(body)))
  assert.equal(Buffer.from(result).readUInt16LE(RESULT.rejectNumber), 0, textOf(result))
  const flaw: Flaw = JSON.parse(textOf(result))
  // Clients know the refusal by these words.
  if (flaw.code === 'SIGNATURE_INVALID') assert.match(flaw.message, /^Invalid signature: /)
  return flaw
}

function under(domain: { name?: string; chainId?: number; exchange?: string }, key = kit.KEY) {
  const stated = { name: kit.DOMAIN.name, chainId: 8453, exchange: kit.EXCHANGE, ...domain }
  return signClientOrder(kit.unsignedOrder(), stated, key)
}

function withSignature(change: (r: string, s: string, v: string) => string): ClientOrder {
  const good = kit.signed(kit.unsignedOrder())
  const hex = good.signature.slice(2)
  const signature = `0x${change(hex.slice(0, 64), hex.slice(64, 128), hex.slice(128))}`
  return { ...good, signature }
}

test('a wrong signature names the domain that was verified and whom it recovers to', () => {
  const other = flawOf(kit.signed(kit.unsignedOrder(), kit.OTHER_KEY))
  assert.equal(other.code, 'SIGNATURE_INVALID')
  assert.deepEqual(other.domain, DOMAIN)
  assert.equal(other.recoveredSigner, accountOf(kit.OTHER_KEY))
  assert.equal(other.signedDomain, undefined)
  for (const word of [kit.EXCHANGE, '8453', kit.DOMAIN.name, 'version 1', account]) {
    assert.ok(other.message.includes(word), `${word}: ${other.message}`)
  }
})

test('an order that verifies under a domain that clients confuse names that domain', () => {
  const rows: [object, Record<string, unknown>, string][] = [
    [
      { exchange: VENUE },
      { verifyingContract: '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB' },
      'venue',
    ],
    [
      { exchange: ADAPTER },
      { verifyingContract: '0xCDCdCdCDCdcDCDcDcDCdCDcDcDCDCDcDCDcdcdcd' },
      'adapter',
    ],
    [{ chainId: 1 }, { chainId: 1 }, 'chain id'],
    [{ chainId: 84532 }, { chainId: 84532 }, 'chain id'],
    [{ chainId: 137 }, { chainId: 137 }, 'chain id'],
    [{ chainId: 31337 }, { chainId: 31337 }, 'chain id'],
    [{ name: 'Polymarket CTF Exchange' }, { name: 'Polymarket CTF Exchange' }, 'name'],
    [{ name: 'CTF Exchange' }, { name: 'CTF Exchange' }, 'name'],
    [{ exchange: `0x${'0'.repeat(40)}` }, { verifyingContract: `0x${'0'.repeat(40)}` }, 'zero'],
  ]
  for (const [domain, changed, word] of rows) {
    const flaw = flawOf(under(domain))
    const { signedDomain = {} } = flaw
    const expected: Record<string, unknown> = { ...DOMAIN, ...changed }
    const lower = (value: unknown) => String(value).toLowerCase()
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(lower(signedDomain[name]), lower(value), `${word}: ${flaw.message}`)
    }
    assert.deepEqual(flaw.domain, DOMAIN, word)
    assert.match(flaw.message, /was signed for/, word)
    assert.match(flaw.message, new RegExp(word), word)
  }
  const unlike = flawOf(under({ exchange: accountOf(kit.OTHER_KEY) }))
  assert.equal(unlike.signedDomain, undefined, 'an address that is no venue stays unnamed')
})

test('each malformed signature has its own message', () => {
  const good = kit.signed(kit.unsignedOrder())
  const zero = '0'.repeat(64)
  const rows: [RegExp, ClientOrder][] = [
    [/upper half.*send .*- s/, { ...good, signature: mirroredText(good.signature) }],
    [/v is 0.*add 27/, withSignature((r, s) => `${r}${s}00`)],
    [/v is 1.*add 27/, withSignature((r, s) => `${r}${s}01`)],
    [/v is 29, .*27 or 28/, withSignature((r, s) => `${r}${s}1d`)],
    [/r is zero/, withSignature((_r, s, v) => zero + s + v)],
    [/s is zero/, withSignature((r, _s, v) => r + zero + v)],
    [/recovers to no account/, withSignature((_r, s, v) => 'f'.repeat(64) + s + v)],
  ]
  const messages = rows.map(([form, order]) => {
    const flaw = flawOf(order)
    assert.equal(flaw.code, 'SIGNATURE_INVALID')
    assert.match(flaw.message, form)
    assert.deepEqual(flaw.domain, DOMAIN)
    return flaw.message
  })
  assert.equal(new Set(messages).size, messages.length)
})

test('a compact signature and a salt that JSON rounds are refused with the form to send', () => {
  const issueOf = (order: object) => {
    const result = intake().check(kit.request(JSON.stringify({ ...kit.orderBody(), order })))
    const [issue]: { field: string; message: string }[] = JSON.parse(textOf(result))
    assert.notEqual(issue, undefined)
    return issue
  }
  const good = kit.signed(kit.unsignedOrder())
  const compact = issueOf({ ...good, signature: good.signature.slice(0, 130) })
  assert.equal(compact.field, 'order.signature')
  assert.match(compact.message, /65 bytes.*EIP-2098/)
  const salt = issueOf({ ...good, salt: 2 ** 60 })
  assert.deepEqual([salt.field, /send it as a string/.test(salt.message)], ['order.salt', true])
  const token = issueOf({ ...good, tokenId: 123456789 })
  assert.deepEqual(
    [token.field, /send it as a string/.test(token.message)],
    ['order.tokenId', true],
  )
})

test('a maker that is not the account is refused by what its signature type needs', () => {
  const wallet = `0x${'ee'.repeat(20)}`
  const by = (signatureType: number, maker: string, known: string | null) =>
    flawOf(kit.signed({ ...kit.unsignedOrder(), signatureType, maker }), {}, intake(known))
  const unproven = by(1, wallet, null)
  assert.equal(unproven.code, 'OWNER_MISMATCH')
  assert.match(
    unproven.message,
    /signatureType 1 .*no proven smart wallet.*x-smart-wallet-signature/,
  )
  const contract = by(3, wallet, null)
  assert.match(contract.message, /signatureType 3 .*no proven smart wallet/)
  const foreign = by(2, accountOf(kit.OTHER_KEY), wallet)
  assert.match(foreign.message, /signatureType 2 .*maker must be .*0xEeEE/i)
  const account0 = by(0, wallet, wallet)
  assert.match(
    account0.message,
    new RegExp(`signatureType 0 .*maker must be .*${account}.*1, 2 or 3`),
  )
  const plain = by(0, accountOf(kit.OTHER_KEY), null)
  assert.match(plain.message, new RegExp(`maker must be .*${account}`))
  const owner = flawOf(kit.signed(kit.unsignedOrder()), { ownerId: 8 })
  assert.equal(owner.code, 'OWNER_MISMATCH')
  assert.match(owner.message, /ownerId is 8, .*profile 7/)
  const other = accountOf(kit.OTHER_KEY)
  const signer = flawOf(kit.signed({ ...kit.unsignedOrder(), signer: other }, kit.OTHER_KEY))
  assert.equal(signer.code, 'SIGNER_MISMATCH')
  assert.match(signer.message, new RegExp(`signer must be ${account}`))
})

test('a thread explains a bounded number of wrong signatures in a second', () => {
  const checker = intake()
  const wrong = under({ chainId: 1 })
  const named = (nowMs: number) => {
    const timestamp = new Date(nowMs).toISOString()
    const body = Buffer.from(JSON.stringify(kit.orderBody(wrong)))
    const call = kit.request(body, { nowMs: kit.NOW_MS })
    const result = checker.check({ ...call, nowMs })
    assert.equal(Buffer.from(result).readUInt16LE(RESULT.rejectNumber), 0, timestamp)
    const flaw: Flaw = JSON.parse(textOf(result))
    assert.deepEqual(flaw.domain, DOMAIN)
    return flaw.signedDomain !== undefined
  }
  let count = 0
  while (count < 1000 && named(kit.NOW_MS)) count++
  assert.ok(count >= 16 && count <= 100, String(count))
  assert.equal(named(kit.NOW_MS), false)
  assert.equal(named(kit.NOW_MS + 1000), true)
})
