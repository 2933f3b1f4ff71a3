import type { FileChanges } from './mutation.ts'

// Defects of the framing of requests and handshakes, each put back. In each of them two parsers see
// the end of a request in different places, or a call is executed and gets no reply.

const FRAMING = ['test/server/edge/http/gateway/framing.test.ts']
const PIPELINED = ['test/server/edge/http/gateway/pipelined.test.ts']
const CALLS = ['test/hostile/framing.test.ts']
const HANDSHAKES = ['test/server/edge/sockets/handshake-head.test.ts']

export const FRAMING_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/edge/http/gateway/framing.ts',
    tests: FRAMING,
    changes: [
      [
        'an empty Transfer-Encoding counts as absent',
        "headers.has('transfer-encoding')",
        "(headers.get('transfer-encoding') ?? '') !== ''",
      ],
      [
        'an empty Content-Length counts as absent',
        'length !== undefined && !',
        "length !== undefined && length !== '' && !",
      ],
      ['every Host is taken', "!HOST.test(headers.get('host') ?? '')", 'false'],
      ['a fragment is a part of the target', "target.includes('#')", 'false'],
    ],
  },
  {
    file: 'server/edge/http/gateway/replies/unread-replies.ts',
    tests: FRAMING,
    changes: [
      [
        'a refusal of framing is gathered and lost',
        'const padded = body.padEnd(GATHERED_BYTES)',
        'const padded = body',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/native-library.ts',
    tests: FRAMING,
    changes: [
      [
        'the library keeps its own bound of a head',
        'process.env.UWS_HTTP_MAX_HEADERS_SIZE = ',
        'process.env.UWS_HTTP_MAX_HEADERS = ',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/framing.ts',
    tests: HANDSHAKES,
    changes: [
      [
        'every version of a handshake is taken',
        "header('sec-websocket-version') !== '13'",
        "header('sec-websocket-version') === ''",
      ],
      ['a key of any letters is taken', "!KEY.test(header('sec-websocket-key'))", 'false'],
      ['a handshake may have a body', "Number(header('content-length')) > 0", 'false'],
    ],
  },
  {
    file: 'server/edge/http/gateway/gateway.ts',
    tests: PIPELINED,
    changes: [
      [
        'a change begins before what came with it is parsed',
        'this.later(incoming, parsed, () => this.begin(incoming, entry))',
        'this.begin(incoming, entry)',
      ],
      [
        'bytes behind a change that is under way are read',
        '    incoming.response.pause()\n    incoming.paused = true\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/edge/threads/edge-thread.ts',
    tests: CALLS,
    changes: [
      [
        'a change begins before all frames of its edge are taken',
        'if (this.#frames.isPast(position)) return Promise.resolve()',
        'if (position !== null) return Promise.resolve()',
      ],
    ],
  },
  {
    file: 'server/exchange/order-entry/order-entry.ts',
    tests: CALLS,
    changes: [
      [
        'an order is decided though nobody waits for its reply',
        'if (this.#open.at(id).sender?.isGone === true) this.#reply(id, ABANDONED)\n    else if',
        'if',
      ],
    ],
  },
]
