import { LIMITS } from '../../../engine/domain/limits.ts'
import { type Attack, CROWDED, SOCKET_BYTES } from '../attack.ts'
import {
  addressSearches,
  curatedPacks,
  deepBoards,
  feedWalks,
  followSlices,
  offersOfMany,
  offersReceived,
  packMarkets,
  packQuotes,
  publicBookmarks,
  toolBodies,
  wholeFiles,
} from './acts.ts'
import { consolePages } from './console-pages.ts'
import { OPEN_HEADS, oddFrames, openHeads } from './framings.ts'
import { everyRead, NOTHING } from './reads.ts'

// Attacks on everything around the market, on all reads there are, and the traffic of many honest
// pages of the console.

const MIB = 2 ** 20
const READ = ['200', ...CROWDED, '503 READ_TIMEOUT']
/** The library of tools takes 25 MB when it is loaded. */
const TOOLS_BYTES = 96 * MIB
const PAGE_SOCKETS = 1000

export const AROUND: readonly Attack[] = [
  {
    name: 'calls in frames that two parsers read differently',
    run: oddFrames,
    bytes: 8 * MIB,
    answers: [
      '411 LENGTH_REQUIRED',
      '400 BODY_MALFORMED',
      '400 HOST_INVALID',
      '400 TARGET_INVALID',
      '426 HANDSHAKE_VERSION',
      '400 VALIDATION',
      '431',
      ...CROWDED,
    ],
    meets: ['411 LENGTH_REQUIRED', '400 BODY_MALFORMED', '400 HOST_INVALID', '400 TARGET_INVALID'],
    shortRounds: 260,
  },
  {
    name: `${OPEN_HEADS} heads that never end`,
    run: openHeads,
    bytes: OPEN_HEADS * (LIMITS.headBytesMax + SOCKET_BYTES),
    answers: ['closed'],
    meets: [],
    shortRounds: 800,
  },
  {
    name: 'the full public bookmarks of one account',
    run: publicBookmarks,
    bytes: LIMITS.unreadReplyBytes.address,
    answers: READ,
    meets: ['200'],
    shortRounds: 40,
  },
  {
    name: '/parlay/markets page by page',
    run: packMarkets,
    bytes: 32 * MIB,
    answers: READ,
    meets: ['200'],
    shortRounds: 40,
  },
  {
    name: 'quotes of packs of five legs',
    run: packQuotes,
    bytes: 32 * MIB,
    answers: READ,
    meets: ['200'],
    shortRounds: 40,
  },
  {
    name: 'quotes and purchases of a curated pack',
    run: curatedPacks,
    bytes: 32 * MIB,
    // The books of its legs are new in a short attack, so that no price of them counts yet.
    answers: [
      '200',
      '201',
      '409 PACK_LIMIT',
      '422 PACK_NOT_ELIGIBLE',
      '429 CALL_LIMIT',
      ...CROWDED,
      '503 PACK_CAPACITY',
      '503 READ_TIMEOUT',
    ],
    meets: ['200'],
    shortRounds: 200,
  },
  {
    name: 'searches for starts of addresses',
    run: addressSearches,
    bytes: 32 * MIB,
    answers: READ,
    meets: ['200'],
    shortRounds: 40,
  },
  {
    name: 'walks through feeds, an entry a page',
    run: feedWalks,
    bytes: 32 * MIB,
    answers: READ,
    meets: ['200'],
    shortRounds: 60,
  },
  {
    name: 'offers of packs made and taken back before listeners',
    run: offersReceived,
    bytes: 500 * SOCKET_BYTES,
    answers: ['101', '200', '201', '409 OFFER_LIMIT', ...CROWDED, '503 READ_TIMEOUT'],
    meets: ['101', '200', '201'],
    shortRounds: 40,
  },
  {
    name: 'offers of packs of 205 makers, and reads of their list',
    run: offersOfMany,
    bytes: 32 * MIB,
    answers: ['200', '201', '409 OFFER_LIMIT', ...CROWDED, '503 READ_TIMEOUT'],
    meets: ['200', '201', '429 RATE_LIMITED'],
    shortRounds: 1800,
  },
  {
    name: 'a profile that many follow, followed and left',
    run: followSlices,
    bytes: 0,
    answers: ['200', ...CROWDED],
    meets: ['200'],
    shortRounds: 60,
  },
  {
    name: '/mcp with eight tools a body',
    run: toolBodies,
    bytes: TOOLS_BYTES,
    answers: READ,
    meets: ['200'],
    shortRounds: 12,
  },
  {
    name: 'the depth of leaderboards',
    run: deepBoards,
    bytes: 32 * MIB,
    answers: READ,
    meets: ['200'],
    shortRounds: 40,
  },
  {
    name: 'files of pages, not compressed',
    run: wholeFiles,
    bytes: LIMITS.unreadReplyBytes.address,
    answers: READ,
    meets: ['200'],
    shortRounds: 16,
  },
  {
    name: 'every open read, one after the other',
    run: everyRead(false),
    bytes: 64 * MIB,
    answers: [...READ, ...NOTHING.values(), '503 NOT_COUNTED'],
    meets: ['200'],
    shortRounds: 60,
  },
  {
    name: 'every private read, one after the other',
    run: everyRead(true),
    bytes: 64 * MIB,
    answers: [...READ, ...NOTHING.values(), '503 NOT_COUNTED'],
    meets: ['200'],
    shortRounds: 60,
  },
  {
    name: `${PAGE_SOCKETS} open pages of the console`,
    run: consolePages,
    bytes: PAGE_SOCKETS * SOCKET_BYTES + 64 * MIB,
    // Honest visitors: nobody refuses them.
    answers: ['101', '200', '304', '401 UNAUTHENTICATED'],
    meets: ['101', '200', '304', '401 UNAUTHENTICATED'],
    shortRounds: 12,
  },
]
