import type { FileChanges } from './mutation.ts'

// Records and rings: what reaches the journal and the threads.

const CODEC = ['test/engine/wire/codec.test.ts', 'test/golden/golden.test.ts']
const RING = ['test/engine/thread/ring.test.ts']

export const WIRE_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/wire/record-layout.ts',
    tests: CODEC,
    changes: [
      ['two fields of an order share a byte', 'stp: 44,', 'stp: 43,'],
      ['a size overlaps a price', 'spendRaw: 56,', 'spendRaw: 48,'],
    ],
  },
  {
    file: 'engine/wire/place-codec.ts',
    tests: CODEC,
    changes: [
      [
        'a stamp leaves out the reserve',
        'view.setFloat64(at + PLACE.reserveRaw, order.reserveRaw, true)\n',
        '\n',
      ],
      [
        'a stamp leaves out the fee',
        'view.setUint16(at + PLACE.feeBps, order.feeBps, true)\n',
        '\n',
      ],
      [
        'an order is of the market form when it has any flag',
        '(flags & MARKET_FORM) !== 0',
        'flags !== 0',
      ],
      [
        'a half of a hash is read with its bytes reversed',
        'PLACE.orderHash + 4, false)\n  order',
        'PLACE.orderHash + 4, true)\n  order',
      ],
      [
        'a client order id is read to the end of its record',
        'PLACE.clientOrderId, idBytes)',
        'PLACE.clientOrderId, record.length - PLACE.clientOrderId)',
      ],
    ],
  },
  {
    file: 'engine/wire/cancel-codec.ts',
    tests: CODEC,
    changes: [
      [
        'every cancel has the reason USER',
        'cancel.reason = view.getUint8(at + CANCEL.reason)',
        'cancel.reason = 0',
      ],
      [
        'a cancel reads the slot as the generation',
        'cancel.generations[index] = view.getUint32(item + 4, true)',
        'cancel.generations[index] = view.getUint32(item, true)',
      ],
      ['a cancel may hold more than its items', '=== bytes, ', '<= bytes, '],
    ],
  },
  {
    file: 'engine/domain/order-flags.ts',
    tests: ['test/engine/domain/order-flags.test.ts'],
    changes: [
      [
        'an order is post-only when it is of the market form',
        '(bits & POST_ONLY) !== 0',
        '(bits & MARKET_FORM) !== 0',
      ],
    ],
  },
  {
    file: 'engine/wire/codec.ts',
    tests: CODEC,
    changes: [
      [
        'a record may pass the end of its batch',
        'at + bytes <= batch.length,',
        'at <= batch.length,',
      ],
    ],
  },
  {
    file: 'engine/wire/record-head.ts',
    tests: CODEC,
    changes: [
      [
        'a view of one buffer is used for another',
        'if (buffer === seenBuffer) return',
        'if (seenBuffer.byteLength > 0) return',
      ],
      [
        'records of two buffers share their words',
        'seenWords = new Int32Array(buffer, 0',
        'if (seenWords.length === 0) seenWords = new Int32Array(buffer, 0',
      ],
    ],
  },
  {
    file: 'engine/thread/wake-ups.ts',
    tests: ['test/engine/thread/wake-ups.test.ts'],
    changes: [
      ['a wake-up reaches one reader alone', 'place < PLACES', 'place < 1'],
      ['a mark is not noticed', 'Atomics.store(this.#words, 0, 1)\n', '\n'],
      ['a sleeping reader stays asleep', 'Atomics.notify(words, at)\n', '\n'],
    ],
  },
  {
    file: 'engine/thread/ring.ts',
    tests: RING,
    changes: [
      [
        'a full ring is overwritten',
        '    return bytes <= this.capacity - ((this.#head - this.#seenRead) >>> 0)',
        '    return true',
      ],
      [
        'the writer never learns of free space',
        'Atomics.store(this.#words, READ, this.#tail)\n',
        '\n',
      ],
      [
        'a frame is split at the end of the ring',
        'frameBytes <= toEnd ? 0 : toEnd',
        'FRAME_BYTES <= toEnd ? 0 : toEnd',
      ],
      [
        'frames are shown before they are published',
        'this.#head = (this.#head + frameBytes) | 0\n',
        'this.#head = (this.#head + frameBytes) | 0\n' +
          '    Atomics.store(this.#words, WRITTEN, this.#head)\n',
      ],
      [
        'main sleeps although frames came',
        'Atomics.store(this.#words, ARMED, 1)\n' +
          '    return Atomics.load(this.#words, WRITTEN) === this.#readTail',
        'Atomics.store(this.#words, ARMED, 1)\n    return true',
      ],
      ['freeBytes forgets the head of a frame', '& ~7) - 2 * FRAME_BYTES)', '& ~7))'],
      [
        'a release frees everything that was read',
        'this.#tail = position\n',
        'this.#tail = this.#readTail\n',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/caller-address.ts',
    tests: ['test/server/edge/http/gateway/caller-address.test.ts'],
    changes: [
      ['a caller chooses its own address', "list.lastIndexOf(',') + 1", "list.indexOf(',') + 1"],
    ],
  },
]
