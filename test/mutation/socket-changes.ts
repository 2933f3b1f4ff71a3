import type { FileChanges } from './mutation.ts'

// Defects of sockets that were mended, each put back.

const HOSTILE = 'test/hostile'
const SOCKETS = [`${HOSTILE}/socket-bounds.test.ts`]
const FRAMES = [`${HOSTILE}/frame-faults.test.ts`]
const UNTOLD = ['test/server/sockets/untold.test.ts']
const SERVER = 'test/server'

export const SOCKET_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/sockets/channels.ts',
    tests: [`${HOSTILE}/members.test.ts`],
    changes: [
      [
        'a subscription with a status passes for a refusal',
        'if (asked instanceof Refusal) return asked\n',
        "if ('status' in asked) return asked\n",
      ],
      [
        'the end of a subscription with a status passes for a refusal',
        "if (asked instanceof Refusal) return 'marketSlugs",
        "if ('status' in asked) return 'marketSlugs",
      ],
    ],
  },
  {
    file: 'server/sockets/census.ts',
    tests: SOCKETS,
    changes: [
      [
        'an address may have every socket',
        "held >= perAddressMax ? this.refuse('address') : null",
        'null',
      ],
      ['a profile may have every socket', '&& held >= perProfileMax', '&& held < 0'],
      [
        'callers without a proof take the room of signed ones',
        '!isSigned && this.anonymous >= anonymousMax',
        '!isSigned && this.anonymous < 0',
      ],
      [
        'many sockets of one owner say as much as they like',
        'const most = this.bounds.ownerMessagesMax',
        'const most = Number.POSITIVE_INFINITY',
      ],
    ],
  },
  {
    file: 'server/sockets/feeds/positions-feed.ts',
    tests: SOCKETS,
    changes: [
      [
        'a bound on markets is that of one socket',
        'own.count - own.countOf(member) + asked.size >',
        'asked.size >',
      ],
    ],
  },
  {
    file: 'server/http/gateway/socket-port.ts',
    tests: SOCKETS,
    changes: [
      [
        'a fault at an upgrade takes the process',
        'answer(response, this.#keeper.broke(error, null))',
        'throw error',
      ],
    ],
  },
  {
    file: 'server/sockets/socket-gateway.ts',
    tests: SOCKETS,
    changes: [
      [
        'a fault of a message takes the process',
        'work()\n    } catch (error) {\n      this.#broke(error, member)',
        'work()\n    } catch (error) {\n      throw error',
      ],
    ],
  },
  {
    file: 'server/sockets/account-stream.ts',
    tests: FRAMES,
    changes: [
      [
        'a frame that breaks is missing in silence',
        'this.fail(error, (member) => to.hears(member, number))',
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
    file: 'server/sockets/member.ts',
    tests: UNTOLD,
    changes: [
      [
        'a socket hears of the end of its token before that is durable',
        "this.pauseUntilDurable(() => this.end(refuse('UNAUTHENTICATED')))",
        "this.end(refuse('UNAUTHENTICATED'))",
      ],
    ],
  },
  {
    file: 'server/sockets/socket-gateway.ts',
    tests: UNTOLD,
    changes: [
      [
        'a handshake hears of the end of its proof before that is durable',
        'member.pauseUntilDurable()\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/sockets/handshakes.ts',
    tests: [`${SERVER}/sockets/handshake.test.ts`],
    changes: [
      [
        'a page of another site opens a socket with a cookie',
        "proof.via !== 'session' || guard.isOwnOrigin(call)",
        "proof.via !== 'admin' || guard.isOwnOrigin(call)",
      ],
    ],
  },
]
