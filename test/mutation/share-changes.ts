import type { FileChanges } from './mutation.ts'

// Shares of the tables that all accounts use, and the length of a command.

const CORE = 'test/engine/core'
const CAPACITY = `${CORE}/decide/capacity.test.ts`

export const SHARE_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/decide/capacity.ts',
    tests: [`${CORE}/decide/gates.test.ts`, CAPACITY],
    changes: [
      [
        'open sizes may exceed the largest exact number',
        'allRaw + sizeRaw > OPEN_SIZE.capacity',
        'allRaw > OPEN_SIZE.capacity',
      ],
      [
        'one account may have all of the open size of a market',
        'ownRaw + sizeRaw > shareOf(',
        'ownRaw - ownRaw > shareOf(',
      ],
      [
        'a partner may have all of the open size of a market',
        'ofAllRaw + sizeRaw <= shareOf(',
        'ownRaw + sizeRaw <= shareOf(',
      ],
      [
        'an order that rests takes the last slots',
        'if (stays && orders.live.all >=',
        'if (rows < 0 && orders.live.all >=',
      ],
      ['an order that a delay holds leaves at once', ' || order.takerDelayMs > 0', ''],
      [
        'a profile opens an order past its share',
        'if (stays && ofOrders.boundOf(',
        'if (rows < 0 && ofOrders.boundOf(',
      ],
      [
        'an order opens a position past the share',
        'if (rows > 0 && ofRows.boundOf(',
        'if (rows < 0 && ofRows.boundOf(',
      ],
      [
        'a position of one raw unit opens after any number of them',
        'if (isSmall && live.isMany',
        'if (rows < 0 && live.isMany',
      ],
    ],
  },
  {
    file: 'engine/core/cells/shared-counts.ts',
    tests: [CAPACITY],
    changes: [
      [
        'the rows of a sub-account count for itself alone',
        'if (owner === account) return\n',
        'if (owner > 0) return\n',
      ],
      [
        'a sub-account of a sub-account counts for the second',
        'this.put(profileId, this.of(partnerId))',
        'this.put(profileId, partnerId)',
      ],
      [
        'own rows shrink a share',
        'own + rows > shareOf(owner, this.all - own)) return',
        'own + rows > shareOf(owner, this.all)) return',
      ],
    ],
  },
  {
    file: 'engine/core/money/open-sizes.ts',
    tests: [`${CORE}/reference-model.test.ts`, CAPACITY],
    changes: [
      [
        'the open size of a market forgets an arrival',
        'market.openSizeRaw += sharesRaw',
        'market.openSizeRaw += 0',
      ],
      [
        'the open size of an account keeps what ended',
        'this.#ofRow[orders.rowOf(slot)] -= sharesRaw',
        'this.#ofRow[orders.rowOf(slot)] -= 0',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/sequencer.ts',
    tests: ['test/server/exchange/publisher/large-commands.test.ts'],
    changes: [
      [
        'a command that is too long is applied',
        'if (record === null) return REJECT.COMMAND_TOO_LARGE',
        'if (record === null) return null',
      ],
    ],
  },
]
