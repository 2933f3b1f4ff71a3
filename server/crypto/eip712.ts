import { assert } from '../../engine/domain/assert.ts'
import { ADDRESS_BYTES } from './address.ts'
import { signHash } from './ecdsa.ts'
import { keccak256 } from './keccak.ts'
import { WORD_BYTES, wordOf, writeSafeWord } from './uint256.ts'

// EIP-712 hash of an order (rules §1.1) and EIP-191 hash of a login message. The buffers are
// allocated once and shared, so no function here is reentrant, and none awaits.

/** The signed fields of an order. Amounts past 2^53 are refused earlier. */
export interface SignedFields {
  /** 32 bytes, big-endian. */
  readonly salt: Uint8Array
  readonly maker: Uint8Array
  readonly signer: Uint8Array
  readonly taker: Uint8Array
  /** 32 bytes, big-endian. */
  readonly tokenId: Uint8Array
  readonly makerAmount: number
  readonly takerAmount: number
  readonly expirationSec: number
  readonly nonce: number
  readonly feeBps: number
  readonly side: number
  readonly signatureType: number
}

const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,address taker,uint256 tokenId,' +
  'uint256 makerAmount,uint256 takerAmount,uint256 expiration,uint256 nonce,' +
  'uint256 feeRateBps,uint8 side,uint8 signatureType)'
const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
export const DOMAIN_VERSION = '1'

const ORDER_WORDS = 13
const ADDRESS_PAD = WORD_BYTES - ADDRESS_BYTES

/** Word 0 is the type hash. The address words keep their leading zeros between orders. */
const orderWords = new Uint8Array(ORDER_WORDS * WORD_BYTES)
/** 0x1901 ‖ domain separator ‖ struct hash */
const signedWords = new Uint8Array(2 + 2 * WORD_BYTES)
signedWords.set([0x19, 0x01])
let isPrepared = false

function hashText(text: string): Uint8Array {
  return keccak256(Buffer.from(text, 'utf8'))
}

function prepare(): void {
  orderWords.set(hashText(ORDER_TYPE))
  isPrepared = true
}

/** Domain separator of one exchange contract; computed once per market. */
export function domainSeparator(name: string, chainId: number, exchange: Uint8Array): Uint8Array {
  assert(exchange.length === ADDRESS_BYTES, 'an address is twenty bytes')
  const words = new Uint8Array(5 * WORD_BYTES)
  words.set(hashText(DOMAIN_TYPE), 0)
  words.set(hashText(name), WORD_BYTES)
  words.set(hashText(DOMAIN_VERSION), 2 * WORD_BYTES)
  words.set(wordOf(String(chainId)), 3 * WORD_BYTES)
  words.set(exchange, 4 * WORD_BYTES + ADDRESS_PAD)
  return keccak256(words)
}

/** Returns the keccak of the encoded order without its domain. */
export function structHash(order: SignedFields): Uint8Array {
  if (!isPrepared) prepare()
  orderWords.set(order.salt, 1 * WORD_BYTES)
  orderWords.set(order.maker, 2 * WORD_BYTES + ADDRESS_PAD)
  orderWords.set(order.signer, 3 * WORD_BYTES + ADDRESS_PAD)
  orderWords.set(order.taker, 4 * WORD_BYTES + ADDRESS_PAD)
  orderWords.set(order.tokenId, 5 * WORD_BYTES)
  writeSafeWord(order.makerAmount, orderWords, 6 * WORD_BYTES)
  writeSafeWord(order.takerAmount, orderWords, 7 * WORD_BYTES)
  writeSafeWord(order.expirationSec, orderWords, 8 * WORD_BYTES)
  writeSafeWord(order.nonce, orderWords, 9 * WORD_BYTES)
  writeSafeWord(order.feeBps, orderWords, 10 * WORD_BYTES)
  writeSafeWord(order.side, orderWords, 11 * WORD_BYTES)
  writeSafeWord(order.signatureType, orderWords, 12 * WORD_BYTES)
  return keccak256(orderWords)
}

/** The hash that the signature of an order covers; it identifies the order permanently. */
export function hashOrder(order: SignedFields, separator: Uint8Array): Uint8Array {
  signedWords.set(separator, 2)
  signedWords.set(structHash(order), 2 + WORD_BYTES)
  return keccak256(signedWords)
}

/** r‖s‖v of an order, as a wallet would sign it, for the command line, the demo and tests. */
export function signOrder(
  order: SignedFields,
  separator: Uint8Array,
  privateKey: Uint8Array,
): Uint8Array {
  return signHash(hashOrder(order, separator), privateKey)
}

/** EIP-191 `personal_sign` hash of a text. */
export function hashPersonalMessage(text: string): Uint8Array {
  const message = Buffer.from(text, 'utf8')
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1')
  return keccak256(Buffer.concat([prefix, message]))
}
