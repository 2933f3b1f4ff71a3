import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hashMessage, hashTypedData, recoverTypedDataAddress, toHex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import {
  formatAddress,
  isAddress,
  parseAddress,
  sameAddress,
  ZERO_ADDRESS,
} from '../../../server/crypto/address.ts'
import {
  addressOfKey,
  curve,
  isSignedBy,
  recoverAddress,
  signerOf,
  signHash,
  withLowS,
} from '../../../server/crypto/ecdsa.ts'
import {
  domainSeparator,
  hashOrder,
  hashPersonalMessage,
  type SignedFields,
  signOrder,
  structHash,
} from '../../../server/crypto/eip712.ts'
import { keccak256, keccakReady } from '../../../server/crypto/keccak.ts'
import { nobleCurve } from '../../../server/crypto/noble-curve.ts'
import { isUint256, wordOf } from '../../../server/crypto/uint256.ts'
import { mirrored } from '../../support/mirrored.ts'
import { seeded } from '../edge/intake/seeded.ts'

const NAME = 'Limitless CTF Exchange'
const EXCHANGE = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
const KEY = new Uint8Array(32).fill(0x11)
const ACCOUNT = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const SIGNATURE =
  '0x95ae4000300229b903b197c182eb5be61c83fdfeab63a15bf0b57c9a773604046a144cea6a5395b1522c4017b89' +
  '26c2030654bc728fea001a1742e0afa3af8181c'

before(() => keccakReady)

function bytesOf(address: string): Uint8Array {
  const bytes = parseAddress(address)
  assert.ok(bytes, address)
  return bytes
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function vectorOrder(): SignedFields {
  return {
    salt: wordOf('1778155025318314'),
    maker: bytesOf(ACCOUNT),
    signer: bytesOf(ACCOUNT),
    taker: bytesOf(ZERO_ADDRESS),
    tokenId: wordOf('123456789'),
    makerAmount: 6_500_000,
    takerAmount: 10_000_000,
    expirationSec: 0,
    nonce: 0,
    feeBps: 300,
    side: 0,
    signatureType: 0,
  }
}

test('the example order of the rules has the hashes and signature of the rules', () => {
  const separator = domainSeparator(NAME, 8453, bytesOf(EXCHANGE))
  const order = vectorOrder()
  assert.equal(hex(separator), '0x0db35654abdacf03baedb64f3e007a785fdb39f7038aa43d59aba10ceb4cc2d0')
  assert.equal(
    hex(structHash(order)),
    '0x27441b92af90c90e585e9416f9fe91eef9404e7127ce7f23ab2d592f194ac012',
  )
  assert.equal(
    hex(hashOrder(order, separator)),
    '0x1ed969c2051a28b3dfd953757ee1ca57b97052a7a102b15c6fb591b4c61f9a16',
  )
  assert.equal(hex(signOrder(order, separator, KEY)), SIGNATURE)
  assert.equal(formatAddress(addressOfKey(KEY)), ACCOUNT)
})

test('the curve in use is the native one, and the portable one agrees with it', () => {
  assert.equal(curve.name, 'secp256k1')
  const random = seeded()
  for (let round = 0; round < 20; round++) {
    const key = random.bytes(32)
    const hash = random.bytes(32)
    const signature = signHash(hash, key)
    const recovered = recoverAddress(hash, signature)
    assert.deepEqual(recovered, addressOfKey(key))
    assert.deepEqual(recoverAddress(hash, signature, nobleCurve), recovered)
    const portable = nobleCurve.sign(hash, key)
    portable[64] += 27
    assert.deepEqual(portable, signature)
    assert.deepEqual(nobleCurve.publicKey(key), curve.publicKey(key))
  }
})

test('keccak agrees with a second implementation on lengths around its block', () => {
  const random = seeded()
  for (let length = 0; length < 300; length++) {
    const bytes = random.bytes(length)
    assert.equal(hex(keccak256(bytes)), hex(keccak_256(bytes)))
  }
})

const ORDER_TYPES = {
  Order: [
    { name: 'salt', type: 'uint256' },
    { name: 'maker', type: 'address' },
    { name: 'signer', type: 'address' },
    { name: 'taker', type: 'address' },
    { name: 'tokenId', type: 'uint256' },
    { name: 'makerAmount', type: 'uint256' },
    { name: 'takerAmount', type: 'uint256' },
    { name: 'expiration', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'feeRateBps', type: 'uint256' },
    { name: 'side', type: 'uint8' },
    { name: 'signatureType', type: 'uint8' },
  ],
} as const

test('random orders have the hashes and signers that viem computes', async () => {
  const random = seeded()
  for (let round = 0; round < 25; round++) {
    const key = random.bytes(32)
    const maker = addressOfKey(key)
    const exchange = random.bytes(20)
    const salt = round % 2 === 0 ? BigInt(toHex(random.bytes(32))) : BigInt(random.below(2 ** 53))
    const tokenId = BigInt(toHex(random.bytes(32)))
    const order: SignedFields = {
      salt: wordOf(String(salt)),
      maker,
      signer: maker,
      taker: random.bytes(20),
      tokenId: wordOf(String(tokenId)),
      makerAmount: random.below(2 ** 53),
      takerAmount: random.below(2 ** 40),
      expirationSec: random.below(2 ** 33),
      nonce: random.below(3),
      feeBps: random.below(1001),
      side: random.below(2),
      signatureType: random.below(4),
    }
    const typed = {
      domain: {
        name: NAME,
        version: '1',
        chainId: 8453,
        verifyingContract: toHex(exchange),
      },
      types: ORDER_TYPES,
      primaryType: 'Order',
      message: {
        salt,
        maker: toHex(maker),
        signer: toHex(maker),
        taker: toHex(order.taker),
        tokenId,
        makerAmount: BigInt(order.makerAmount),
        takerAmount: BigInt(order.takerAmount),
        expiration: BigInt(order.expirationSec),
        nonce: BigInt(order.nonce),
        feeRateBps: BigInt(order.feeBps),
        side: order.side,
        signatureType: order.signatureType,
      },
    } as const
    const separator = domainSeparator(NAME, 8453, exchange)
    assert.equal(hex(hashOrder(order, separator)), hashTypedData(typed))
    const signature = toHex(signOrder(order, separator, key))
    assert.equal(await recoverTypedDataAddress({ ...typed, signature }), formatAddress(maker))
    assert.equal(
      await sign({ hash: hashTypedData(typed), privateKey: toHex(key), to: 'hex' }),
      signature,
    )
  }
})

test('a personal message hashes as in viem and recovers to its wallet', async () => {
  for (const text of ['', 'hello', 'grüße 🙂', 'x'.repeat(1000)]) {
    const hash = hashPersonalMessage(text)
    assert.equal(hex(hash), hashMessage(text))
    const wallet = privateKeyToAccount(toHex(KEY))
    const signature = await wallet.signMessage({ message: text })
    const recovered = recoverAddress(hash, Buffer.from(signature.slice(2), 'hex'))
    assert.ok(recovered)
    assert.equal(formatAddress(recovered), ACCOUNT)
  }
})

test('a mirrored, cut or otherwise invalid signature recovers to no address', () => {
  const hash = new Uint8Array(32).fill(7)
  const good = signHash(hash, KEY)
  assert.ok(recoverAddress(hash, good))
  const rows: [string, Uint8Array][] = [
    ['high s', mirrored(good)],
    ['64 bytes', good.slice(0, 64)],
    ['66 bytes', Buffer.concat([good, Buffer.of(0)])],
    ['nothing', new Uint8Array(0)],
    ['zeros', new Uint8Array(65)],
    ['r zero', good.map((byte, index) => (index < 32 ? 0 : byte))],
    ['s zero', good.map((byte, index) => (index >= 32 && index < 64 ? 0 : byte))],
    ['r of all ones', good.map((byte, index) => (index < 32 ? 255 : byte))],
  ]
  for (const v of [0, 1, 26, 29, 255]) {
    rows.push([`v ${v}`, good.map((byte, index) => (index === 64 ? v : byte))])
  }
  for (const [name, signature] of rows) {
    for (const using of [curve, nobleCurve]) {
      assert.equal(recoverAddress(hash, signature, using), undefined, `${name} by ${using.name}`)
    }
  }
})

test('a signature gets the lower s of its two forms, and keeps its signer', () => {
  const random = seeded()
  for (let round = 0; round < 20; round++) {
    const good = signHash(random.bytes(32), KEY)
    assert.deepEqual(Buffer.from(withLowS(mirrored(good))), Buffer.from(good))
    assert.equal(withLowS(good), good)
  }
  const none = new Uint8Array(65).fill(255)
  assert.equal(withLowS(none), none)
})

test('the check by a known public key agrees with recovery for every signature', () => {
  const random = seeded()
  const withV = (signature: Uint8Array, v: number) => signature.with(64, v)
  const signer = signerOf(addressOfKey(KEY))
  for (let round = 0; round < 60; round++) {
    const hash = random.bytes(32)
    const good = signHash(hash, KEY)
    const bit = random.below(64 * 8)
    const flipped = good.with(bit >> 3, good[bit >> 3] ^ (1 << (bit & 7)))
    const rows: [string, Uint8Array][] = [
      ['good', good],
      ['another key', signHash(hash, random.bytes(32))],
      ['another hash', signHash(random.bytes(32), KEY)],
      ['one bit flipped', flipped],
      ['high s', mirrored(good)],
      ['high s, same v', withV(mirrored(good), good[64])],
      ['other v', withV(good, good[64] ^ 27 ^ 28)],
      ['v of another form', withV(good, good[64] - 27)],
      ['cut', good.slice(0, 64)],
      ['random', random.bytes(65)],
      ['zeros', new Uint8Array(65)],
    ]
    for (const [name, signature] of rows) {
      for (const using of round < 5 ? [curve, nobleCurve] : [curve]) {
        const recovered = recoverAddress(hash, signature, using)
        const expected = recovered !== undefined && sameAddress(recovered, signer.address)
        assert.equal(expected, name === 'good', name)
        // Once with a new signer, whose key is unknown, and once with one that may know its key.
        assert.equal(isSignedBy(signerOf(signer.address), hash, signature, using), expected, name)
        assert.equal(isSignedBy(signer, hash, signature, using), expected, name)
      }
    }
  }
  assert.deepEqual(signer.publicKey, curve.publicKey(KEY))
  const nobody = signerOf(new Uint8Array(20))
  assert.equal(isSignedBy(nobody, random.bytes(32), random.bytes(65)), false)
  assert.equal(nobody.publicKey.length, 0)
})

test('an address is in lower case or has a valid checksum', () => {
  const rows: [string, boolean][] = [
    [ACCOUNT, true],
    [ACCOUNT.toLowerCase(), true],
    [ZERO_ADDRESS, true],
    [ACCOUNT.replace('E7E376', 'e7E376'), false],
    [`0x${ACCOUNT.slice(2).toUpperCase()}`, false],
    [ACCOUNT.slice(2), false],
    [`0X${ACCOUNT.slice(2)}`, false],
    [`${ACCOUNT}0`, false],
    [ACCOUNT.slice(0, -1), false],
    [`${ACCOUNT.slice(0, -1)}g`, false],
    [` ${ACCOUNT}`, false],
    [`${ACCOUNT}\n`, false],
    ['', false],
  ]
  // Each text is checked twice: a valid one is remembered, a wrong one is not.
  for (const [text, expected] of [...rows, ...rows]) assert.equal(isAddress(text), expected, text)
})

test('a uint256 is plain decimal digits below 2^256', () => {
  const limit = 2n ** 256n
  const rows: [string, boolean][] = [
    ['0', true],
    ['1', true],
    [String(limit - 1n), true],
    [String(limit), false],
    [String(limit * 10n), false],
    ['01', false],
    ['', false],
    ['-1', false],
    ['1.0', false],
    ['1e3', false],
    ['0x10', false],
    [' 1', false],
    ['1\n', false],
    ['١', false],
  ]
  for (const [text, expected] of rows) assert.equal(isUint256(text), expected, text)
  for (const value of [
    0n,
    1n,
    2n ** 32n,
    2n ** 53n - 1n,
    999_999_999_999_999n,
    10n ** 15n,
    limit - 1n,
  ]) {
    assert.equal(BigInt(hex(wordOf(String(value)))), value)
  }
})
