import type { FileChanges } from './mutation.ts'

// Mended defects of sockets, each put back.

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
        'one address may have every socket',
        "held >= perAddressMax ? this.refuse('address') : null",
        'null',
      ],
      ['one profile may have every socket', '&& held >= perProfileMax', '&& held < 0'],
      [
        'callers without a proof take the room of signed callers',
        '!isSigned && this.anonymous >= anonymousMax',
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
    file: 'server/sockets/feeds/positions-feed.ts',
    tests: SOCKETS,
    changes: [
      [
        'the bound on markets counts one socket alone',
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
        'a fault at an upgrade ends the process',
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
        'a fault in a message ends the process',
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
        'a frame that breaks is left out silently',
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
        'a socket hears of the end of its token before the end is durable',
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
        'a handshake hears of the end of its proof before the end is durable',
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
