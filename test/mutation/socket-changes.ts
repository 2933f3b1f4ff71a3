import type { FileChanges } from './mutation.ts'

// Fixed defects of sockets, each put back.

const HOSTILE = 'test/hostile'
const SOCKETS = [`${HOSTILE}/socket-bounds.test.ts`]
const REPLAYS = [`${HOSTILE}/replays.test.ts`]
const FRAMES = [`${HOSTILE}/frame-faults.test.ts`]
const UNREPORTED = ['test/server/edge/sockets/unpublished.test.ts']

const MARKETS = ['test/hostile/market-sockets.test.ts']
const DEEP = ['test/hostile/deep-books.test.ts']
const REPLAY_ENDS = [
  'test/server/api/streams/replay.test.ts',
  'test/server/api/streams/replay-end.test.ts',
]
const PRICES = ['test/server/api/streams/market-prices.test.ts']
const TAPES = ['test/server/api/streams/market-tape.test.ts']

export const SOCKET_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/edge/sockets/channels.ts',
    tests: [`${HOSTILE}/members.test.ts`],
    changes: [
      [
        'a subscription with a status passes for a refusal',
        'if (requested instanceof Refusal) return requested\n',
        "if ('status' in requested) return requested\n",
      ],
      [
        'the end of a subscription with a status passes for a refusal',
        "if (requested instanceof Refusal) return 'marketSlugs",
        "if ('status' in requested) return 'marketSlugs",
      ],
    ],
  },
  {
    file: 'server/edge/sockets/connection-counts.ts',
    tests: SOCKETS,
    changes: [
      ['one profile may have every socket', '&& held >= shareOf(', '&& held < -shareOf('],
      [
        'callers without a proof take the capacity of signed callers',
        '!isSigned && this.anonymous >= this.bounds.anonymousMax',
        '!isSigned && this.anonymous < 0',
      ],
      [
        'many sockets of one owner send any number of messages',
        'const most = this.bounds.ownerMessagesMax',
        'const most = Number.POSITIVE_INFINITY',
      ],
    ],
  },
  {
    file: 'server/api/streams/account/order-events.ts',
    tests: REPLAYS,
    changes: [
      [
        'one account requests any number of replays',
        'this.#rate.take(accountId, performance.now()) > 0',
        'this.#rate.take(accountId, performance.now()) < 0',
      ],
    ],
  },
  {
    file: 'server/api/streams/account/order-events.ts',
    tests: REPLAY_ENDS,
    changes: [
      [
        'what came during a replay comes twice',
        'this.#held.filter((each) => each.seq > seq)',
        'this.#held.filter((each) => each.seq > 0)',
      ],
      [
        'what came during a replay is left out',
        'for (const { payload } of held) this.#post(payload)',
        'for (const { payload } of held.slice(0, 0)) this.#post(payload)',
      ],
    ],
  },
  {
    file: 'server/api/streams/account/audience.ts',
    tests: ['test/server/api/streams/replay-end.test.ts'],
    changes: [
      [
        'an event that main publishes after the replay that sent it comes twice',
        'return seq === null || seq > listening.throughSeq',
        'return seq === null || seq > 0',
      ],
    ],
  },
  {
    file: 'server/exchange/settlement/mining.ts',
    tests: ['test/server/api/streams/settlement.test.ts'],
    changes: [
      [
        'the end of a trade has the seq of the trade, and a replay drops it',
        'map((tradeSeq) => ({ tradeSeq, seq }))',
        'map((tradeSeq) => ({ tradeSeq, seq: tradeSeq }))',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/send-budget.ts',
    tests: ['test/server/api/streams/send-budget.test.ts'],
    changes: [
      ['a costly frame of one book holds up all books', '+ Math.min(costMs, BURST_MS)', '+ costMs'],
      [
        'the bytes of frames cost nothing',
        'Math.max(sends / sendsPerSec, bytes / bytesPerSec)',
        'Math.max(sends / sendsPerSec, bytes / Infinity)',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/connection-counts.ts',
    tests: DEEP,
    changes: [
      [
        'a request for a long book costs as much as one for a short book',
        'Math.ceil(firstBytes / REQUEST_UNIT_BYTES)',
        'Math.sign(firstBytes)',
      ],
    ],
  },
  {
    file: 'persistence/query/read/orders/missed-events.ts',
    tests: REPLAYS,
    changes: [
      [
        'an id of another owner counts as an own one',
        'return order?.accountId === accountId ? order.placedSeq : null',
        'return order === null ? null : order.placedSeq',
      ],
    ],
  },
  {
    file: 'server/api/streams/account/positions-feed.ts',
    tests: SOCKETS,
    changes: [
      [
        'the bound on markets counts one socket alone',
        'own.count - own.countOf(member) + ownCount >',
        'markets.size >',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/socket-port.ts',
    tests: SOCKETS,
    changes: [
      [
        'a fault at an upgrade ends the process',
        'answer(response, keeper.broke(error, null))',
        'throw error',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/socket-gateway.ts',
    tests: SOCKETS,
    changes: [
      [
        'a fault in a message ends the process',
        'work()\n    } catch (error) {\n      this.#broke(error, member)',
        'work()\n    } catch (error) {\n      throw error',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/account-stream.ts',
    tests: DEEP,
    changes: [
      [
        'the sockets of one account get as many bytes as there are',
        'if (budget.allows(this.#share, nowMs)) return true',
        'if (budget.allows(this.#share, nowMs) || nowMs > 0) return true',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/account-stream.ts',
    tests: FRAMES,
    changes: [
      [
        'a frame that breaks is left out silently',
        'this.fail(error, (member) => to.receives(member, { number, seq }))',
        'this.postedNumber += 0',
      ],
      [
        'a fault in writing a frame ends every socket of the account',
        'this.fail(error, (each) => each === member)',
        'throw error',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/member.ts',
    tests: UNREPORTED,
    changes: [
      [
        'a socket is notified of the end of its token before the end is durable',
        "this.pauseUntilDurable(() => this.end(refuse('UNAUTHENTICATED')))",
        "this.end(refuse('UNAUTHENTICATED'))",
      ],
    ],
  },
  {
    file: 'server/edge/sockets/socket-gateway.ts',
    tests: UNREPORTED,
    changes: [
      [
        'a handshake is notified of the end of its proof before the end is durable',
        'member.pauseUntilDurable()\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/shared/broadcast-group.ts',
    tests: MARKETS,
    changes: [
      [
        'a reader that stops reading is written to all the same',
        'if (member.lagsBefore(packet.length)) this.#fallBehind(member, this.#sentCount)',
        'if (member.lagsBefore(packet.length)) this.#sentCount += 0',
      ],
      ['a reader that was behind never joins again', '    member.joinTopic(topic.name)\n', '\n'],
    ],
  },
  {
    file: 'server/edge/sockets/connection-counts.ts',
    tests: MARKETS,
    changes: [
      [
        'one address may subscribe to any number of markets',
        'held > shareOf(this.#marketsOfAddress, this.#markets - before)',
        'held < 0',
      ],
      [
        'one address may ask for whole books again and again',
        'const burst = bounds.ownerMarketsRequestedMax',
        'const burst = Number.MAX_SAFE_INTEGER',
      ],
      [
        'a socket that ends keeps its markets',
        'for (const channel of [...this.#held.keys()]) this.holds(channel, 0)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/api/streams/market/book-pace.ts',
    tests: MARKETS,
    changes: [
      [
        'a book that breaks ends the sockets of others too',
        'this.#parts.fail(error, book.members)',
        'throw error',
      ],
    ],
  },
  {
    file: 'server/api/streams/market/book-pace.ts',
    tests: PRICES,
    changes: [
      [
        'a frame has the number of the frame before',
        '    this.#published.sequence++\n    edge',
        '    edge',
      ],
      ['the same changes are published again', '    before.set(now)\n', '\n'],
    ],
  },
  {
    file: 'server/edge/sockets/shared/subscriptions.ts',
    tests: PRICES,
    changes: [
      [
        'a repeated subscribe leaves earlier markets subscribed',
        'if (all.get(name) !== group) group.leave(member)',
        'if (all.size < 0) group.leave(member)',
      ],
      [
        'a market that is added replaces the earlier ones',
        'new Map(isAdded ? [...before, ...groups] : groups)',
        'new Map(groups)',
      ],
    ],
  },
  {
    file: 'server/api/streams/market/market-topics.ts',
    tests: TAPES,
    changes: [
      [
        'a trade names itself as the trade before',
        'prevSeq: this.#published.tradeSeq',
        'prevSeq: seq',
      ],
      [
        'the size of a trade is that of its last fill',
        'sizeRaw += fill.sizeRaw',
        'sizeRaw = fill.sizeRaw',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/handshakes.ts',
    tests: ['test/server/edge/sockets/handshake.test.ts'],
    changes: [
      [
        'a page of another site opens a socket with a cookie',
        "proof.via !== 'session' || guard.isOwnOrigin(call)",
        "proof.via !== 'admin' || guard.isOwnOrigin(call)",
      ],
      [
        'only the target that was requested proves a handshake',
        'if (!(second instanceof Refusal)) [call, proof] = [constant, second]',
        'if (second === null) [call, proof] = [constant, second]',
      ],
      [
        'only the constant target proves a handshake',
        'let call = handshakeCall(headers, target)',
        'let call = handshakeCall(headers, HANDSHAKE_TARGET)',
      ],
    ],
  },
]
