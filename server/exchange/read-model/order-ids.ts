import { createCipheriv } from 'node:crypto'
import type { Generation, Slot } from '../../../engine/domain/ids.ts'

/** The location of an order while it is open, and its permanent name. */
export interface OrderRef {
  slot: Slot
  generation: Generation
}

/** 64 bits under the cipher. */
interface Pair {
  readonly high: number
  readonly low: number
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const BLOCK_BYTES = 16
/** The first word of a block is its domain tag. */
const TAG = 1
const MASK = 2

const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Uses a table: a reply may contain hundreds of ids, and padding each word took most of their time.
 */
function hex8(word: number): string {
  const high = HEX_OF_BYTE[word >>> 24] + HEX_OF_BYTE[(word >>> 16) & 255]
  return high + HEX_OF_BYTE[(word >>> 8) & 255] + HEX_OF_BYTE[word & 255]
}

function textOf({ slot, generation }: OrderRef, tag: Pair, mask: Pair): string {
  const pair = hex8(slot ^ mask.high) + hex8(generation ^ mask.low)
  const variant = (8 | (tag.high >>> 26)).toString(16)
  const high = (tag.high & 0xffffff).toString(16).padStart(6, '0')
  const versioned = `${pair.slice(8, 12)}-4${pair.slice(12, 15)}`
  const tail = `${variant}${pair[15]}${high.slice(0, 2)}-${high.slice(2)}${hex8(tag.low)}`
  return `${pair.slice(0, 8)}-${versioned}-${tail}`
}

/** Keeps 58 bits of a tag: two in the variant nibble, 24 and 32 in the tail. */
function shortened({ high, low }: Pair): Pair {
  return { high: high & 0x0cffffff, low }
}

/**
 * UUIDv4 text ↔ (slot, generation), under a key. A UUIDv4 has 122 free bits: 64 carry the masked
 * pair, 58 a tag of it. Tag = AES(pair), mask = AES(tag): a synthetic-IV construction (RFC 5297),
 * so ids look random, cannot be guessed, and are checked without a table.
 */
export class OrderIds {
  readonly #cipher
  readonly #block = Buffer.alloc(BLOCK_BYTES)

  /** `key` is 32 secret bytes. */
  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  }

  text(slot: Slot, generation: Generation): string {
    const tag = this.#tag(slot, generation)
    return textOf({ slot, generation }, tag, this.#encrypt(MASK, tag.high, tag.low))
  }

  /** The texts of many ids with two cipher calls: a call costs more than the rest of an id. */
  texts(orders: readonly OrderRef[]): string[] {
    const pairs = orders.map(({ slot, generation }) => ({ high: slot, low: generation }))
    const tags = this.#encryptAll(TAG, pairs).map(shortened)
    const masks = this.#encryptAll(MASK, tags)
    return orders.map((order, index) => textOf(order, tags[index], masks[index]))
  }

  /** Null when this exchange did not issue the id. */
  parse(text: string): OrderRef | null {
    if (!UUID_V4.test(text)) return null
    const hex = text.replaceAll('-', '')
    const variantBits = Number.parseInt(hex[16], 16) & 3
    const high = (variantBits << 26) | Number.parseInt(hex.slice(18, 24), 16)
    const low = Number.parseInt(hex.slice(24), 16) | 0
    const mask = this.#encrypt(MASK, high, low)
    const slot = (Number.parseInt(hex.slice(0, 8), 16) ^ mask.high) >>> 0
    const pairLow = hex.slice(8, 12) + hex.slice(13, 16) + hex[17]
    const generation = (Number.parseInt(pairLow, 16) ^ mask.low) >>> 0
    const tag = this.#tag(slot, generation)
    return tag.high === high && tag.low === low ? { slot, generation } : null
  }

  #tag(slot: Slot, generation: Generation): Pair {
    return shortened(this.#encrypt(TAG, slot, generation))
  }

  #encrypt(domain: number, high: number, low: number): Pair {
    fillBlock(this.#block, 0, domain, { high, low })
    return pairAt(this.#cipher.update(this.#block), 0)
  }

  #encryptAll(domain: number, pairs: readonly Pair[]): Pair[] {
    const blocks = Buffer.alloc(pairs.length * BLOCK_BYTES)
    for (let index = 0; index < pairs.length; index++) {
      fillBlock(blocks, index * BLOCK_BYTES, domain, pairs[index])
    }
    const sealed = this.#cipher.update(blocks)
    return pairs.map((_, index) => pairAt(sealed, index * BLOCK_BYTES))
  }
}

/** Fills a block, whose last four bytes stay zero. */
function fillBlock(block: Buffer, at: number, domain: number, { high, low }: Pair): void {
  block.writeUInt32BE(domain, at)
  block.writeUInt32BE(high >>> 0, at + 4)
  block.writeUInt32BE(low >>> 0, at + 8)
}

function pairAt(sealed: Buffer, at: number): Pair {
  return { high: sealed.readInt32BE(at), low: sealed.readInt32BE(at + 4) }
}
