import { createCipheriv } from 'node:crypto'

/** Where an order lives while it is open, and what names it for ever. */
export interface OrderRef {
  slot: number
  generation: number
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function hex8(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}

/**
 * UUIDv4 text ↔ (slot, generation), under a key. A UUIDv4 has 122 free bits: 64 carry the masked
 * pair, 58 a tag of it. Tag = AES(pair), mask = AES(tag): a synthetic-IV construction (RFC 5297),
 * so ids look random, cannot be guessed, and are checked without a table.
 */
export class OrderIds {
  readonly #cipher
  readonly #block = Buffer.alloc(16)

  /** `key` is 32 secret bytes. */
  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  }

  text(slot: number, generation: number): string {
    const tag = this.#tag(slot, generation)
    const mask = this.#mask(tag.high, tag.low)
    const pair = hex8(slot ^ mask.high) + hex8(generation ^ mask.low)
    const variant = (8 | (tag.high >>> 26)).toString(16)
    const high = (tag.high & 0xffffff).toString(16).padStart(6, '0')
    const versioned = `${pair.slice(8, 12)}-4${pair.slice(12, 15)}`
    const tail = `${variant}${pair[15]}${high.slice(0, 2)}-${high.slice(2)}${hex8(tag.low)}`
    return `${pair.slice(0, 8)}-${versioned}-${tail}`
  }

  /** Null when the text is not an id this exchange gave out. */
  parse(text: string): OrderRef | null {
    if (!UUID_V4.test(text)) return null
    const hex = text.replaceAll('-', '')
    const variantBits = Number.parseInt(hex[16], 16) & 3
    const high = (variantBits << 26) | Number.parseInt(hex.slice(18, 24), 16)
    const low = Number.parseInt(hex.slice(24), 16) | 0
    const mask = this.#mask(high, low)
    const slot = (Number.parseInt(hex.slice(0, 8), 16) ^ mask.high) >>> 0
    const pairLow = hex.slice(8, 12) + hex.slice(13, 16) + hex[17]
    const generation = (Number.parseInt(pairLow, 16) ^ mask.low) >>> 0
    const tag = this.#tag(slot, generation)
    return tag.high === high && tag.low === low ? { slot, generation } : null
  }

  // 58 bits: two in the variant nibble, 24 and 32 in the tail.
  #tag(slot: number, generation: number): { high: number; low: number } {
    const { high, low } = this.#encrypt(1, slot, generation)
    return { high: high & 0x0cffffff, low }
  }

  #mask(high: number, low: number): { high: number; low: number } {
    return this.#encrypt(2, high, low)
  }

  #encrypt(domain: number, a: number, b: number): { high: number; low: number } {
    this.#block.fill(0)
    this.#block.writeUInt32BE(domain, 0)
    this.#block.writeUInt32BE(a >>> 0, 4)
    this.#block.writeUInt32BE(b >>> 0, 8)
    const sealed = this.#cipher.update(this.#block)
    return { high: sealed.readInt32BE(0), low: sealed.readInt32BE(4) }
  }
}
