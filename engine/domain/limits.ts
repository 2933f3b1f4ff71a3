import { assert } from './assert.ts'

/**
 * Where requests under way stand: with a body that is not whole, asked by those who watch the
 * process, giving up what is reserved, placing orders, reading, and all else.
 */
export const ROOMS = ['bodies', 'vital', 'frees', 'orders', 'reads', 'others'] as const
export type RoomName = (typeof ROOMS)[number]

/** Every bound in the system. What happens at each is said where it is checked. */
export const LIMITS = {
  /** Largest size of one order, raw shares; also the largest spend of a market buy. */
  orderSizeRawMax: 10_000_000_000_000,
  feeBpsMax: 1000,
  /** Open and in-flight orders of the whole exchange: the length of every order column. */
  orderSlotsMax: 1 << 21,
  marketsMax: 4096,
  /** Exchanges and adapters of all markets together: one server wallet approves every one. */
  venueAddressesMax: 1024,
  /** A map of V8 holds 2^24 keys: what is kept in one has a gate well below. */
  profilesMax: 1 << 23,
  tokensMax: 1 << 23,
  /** Secrets of tokens that are kept open; at the bound all of them are opened anew. */
  openedTokensMax: 1 << 16,
  /** Kinds of ranks that profiles ever had. */
  ranksMax: 1 << 15,
  sessionsMax: 1 << 21,
  /** Addresses of which it is known how many profiles they made today. */
  registrationAddressesMax: 1 << 16,
  positionsMax: 1 << 23,
  /** Of one profile, so that none can take every slot. */
  openOrdersPerProfileMax: 1 << 18,
  /** Orders one cancel command may name; wider acts become several commands. */
  cancelItemsMax: 1000,
  batchCancelIdsMax: 50,
  batchOrdersMax: 50,
  batchReplacesMax: 20,
  /** Orders and cancels of one account that wait for its replacement to be decided. */
  accountQueueMax: 256,
  statusItemsMax: 50,
  /** Makers told of one trade when an order is asked for. */
  statusMakersMax: 100,
  /** And of all trades in one reply, those taken out by self-trade prevention included. */
  statusMakersInAllMax: 500,
  /** Makers, and own orders that self-trade prevention canceled, told by the order's own reply. */
  replyOrdersMax: 1000,
  /** What main settles and publishes before it lets others run: a record is 1, a frame 8 more. */
  drainWorkMax: 4096,
  clientOrderIdCodePointsMax: 128,
  clientOrderIdBytesMax: 512,
  /** As it comes, with the spaces around it; they are trimmed (rules §4.5). */
  clientOrderIdGivenCharactersMax: 1024,
  recvWindowMsMax: 10_000,
  /** A heartbeat deadline lies at least so far ahead of server time. */
  heartbeatAheadMsMin: 5000,
  /** Trading windows that are not over. */
  tradingWindowsMax: 64,
  publicMessageCharactersMax: 500,
  /** Profiles frozen at once; an operator who needs more closes trading by its mode. */
  frozenProfilesMax: 1 << 20,
  freezeReasonCharactersMax: 500,
  /** Operators beside the first: each admin call compares its token with all of theirs. */
  operatorsMax: 256,
  operatorNameCharactersMax: 32,
  auditLimitMax: 100,
  takerDelayMsMax: 60_000,
  clockToleranceMs: 1000,
  /** A wall clock further ahead of the server's time is followed only when it stays there. */
  clockLeapMs: 2000,
  clockLeapWaitMs: 60_000,
  userOrdersLimitMax: 200,
  activeMarketsLimitMax: 25,
  /** Rows of a page of an operator's list. */
  adminListLimitMax: 500,
  usernameCharactersMax: 44,
  displayNameCharactersMax: 44,
  bioCharactersMax: 280,
  profileUrlCharactersMax: 512,
  slugCharactersMax: 128,
  titleCharactersMax: 256,
  descriptionCharactersMax: 10_000,
  tokenLabelCharactersMax: 64,
  tokensPerProfileMax: 100,
  withdrawalAddressesPerProfileMax: 100,
  withdrawalLabelCharactersMax: 64,
  subAccountsPerPartnerMax: 1 << 17,
  subAccountsPageMax: 25,
  /** From one retry of a server wallet's approvals to the next. */
  allowanceRetryEveryMs: 5000,
  sessionMs: 30 * 24 * 3_600_000,
  sessionsPerProfileMax: 32,
  loginNonceMs: 5 * 60_000,
  signatureSkewMs: 30_000,
  /** HTTP request bodies; larger ones get 413. */
  bodyBytesMax: 64 * 1024,
  /** From the head of a request to the first and to the last byte of its body; above it 408. */
  bodyFirstMs: 2000,
  bodyDeadlineMs: 10_000,
  /** One journal record: a rare command carries at most one admin body. */
  recordBytesMax: 128 * 1024,
  /** Connections in all, where the process may open so many files; more are closed as they come. */
  connectionsMax: 1 << 16,
  /** Of the listener of operators. */
  operatorConnectionsMax: 64,
  /** Of the files that the process may open, what connections leave to itself. */
  descriptorsReserved: 96,
  /** Requests of all kinds under way; their rooms together hold no more. */
  inFlightMax: 16_384,
  /**
   * Requests under way by kind, so that a flood of one never makes another wait: in all, above
   * which the answer is 503, and of one address and of one profile, above which it is 429.
   */
  rooms: {
    bodies: { all: 2048, address: 128, profile: 128 },
    vital: { all: 512, address: 64, profile: 64 },
    frees: { all: 4096, address: 1024, profile: 512 },
    orders: { all: 4096, address: 512, profile: 256 },
    reads: { all: 4096, address: 256, profile: 128 },
    others: { all: 1024, address: 128, profile: 32 },
  },
  /** Replies that wait for their readers, of all and of one address; above it they are cut off. */
  heldReplyBytes: { all: 256 << 20, address: 16 << 20 },
  /**
   * Orders under way; above it the next gets 503, unread. It bounds how long a taken one waits (a
   * tenth of a second at ten thousand a second) and leaves the rest of `inFlightMax` to cancels.
   * A smaller bound starves the pool while main reads a flood; a larger one buys nothing.
   */
  ordersUnderWayMax: 1024,
  /**
   * Legs of a trade that can be taken back: an account has one for each outcome. A trade of more is
   * always settled.
   */
  reversalLegsMax: 1500,
  /** Faults that the embedded chain was told and did not meet yet. */
  settlementFaultsMax: 1000,
  /** Trades without a block that a start tells of; older ones are mined untold. */
  waitingTradesMax: 1 << 16,
  batchBytesMax: 1 << 20,
  ringBytes: 1 << 22,
  /** Between main and one market thread: each market may have two. */
  shardRingBytes: 1 << 20,
  /** Room in each ring that only deadlines may use. */
  ringHeadroomBytes: 256 * 1024,
  /** Lines of the log that standard error has not taken; above it they are dropped and counted. */
  logWaitingBytesMax: 1 << 20,
  /** Encoded markets kept for readers; above it they are encoded anew. */
  marketBytesCachedMax: 1 << 26,
  /** A thread that gives no sign of life for longer makes the exchange not ready. */
  threadSilentMsMax: 1000,
  /** So do read tables that are further behind what is durable. */
  followerLagMsMax: 5000,
  /** So does less room for the journal, its log and a snapshot. */
  diskFreeBytesMin: 1 << 27,
  marketThreadsAutoMax: 16,
  marketThreadsEachMax: 64,
  privateReadDeadlineMs: 1000,
  /** A snapshot is due after this many commands. */
  snapshotEveryCommands: 250_000,
  /** One that could not be saved is tried again after this pause; it doubles up to the second. */
  snapshotRetryMsMin: 5_000,
  snapshotRetryMsMax: 600_000,
  /** What a command takes of the journal, about. */
  commandBytesTypical: 256,
  /** Orders wait no longer for the markets to stand still. */
  stillWaitMsMax: 100,
  queryQueueMax: 1024,
  /** Reads of one profile under way, so that they cannot fill the queue of all. */
  readsPerProfileMax: 256,
  /** Threads of orders or questions that died without one to blame; more end the process. */
  idleDeathsPerMinuteMax: 5,
  /** Open sockets; above it an upgrade gets 503. */
  socketsMax: 16_384,
  /** Of clients without a proof; the rest is for signed ones. */
  anonymousSocketsMax: 8192,
  /** Above it an upgrade gets 429. */
  socketsPerAddressMax: 2048,
  /** Above it a client hears `exception` and is disconnected. */
  socketsPerProfileMax: 1024,
  /** One message of a client; a longer one ends its connection. */
  socketMessageBytesMax: 16 * 1024,
  /** What joins a namespace, its name, and whatever is no message at all. */
  socketControlBytesMax: 512,
  /** A client that says more within a second is disconnected. */
  socketMessagesPerSecondMax: 50,
  /** Of all sockets of an address, or of a profile, in so long: clients come back all at once. */
  ownerMessagesMax: 8192,
  ownerMessagesSec: 4,
  /** Markets in one subscription. */
  socketMarketsMax: 100,
  /** Markets in the subscriptions of all sockets of a profile. */
  socketMarketsPerProfileMax: 4096,
  /** Frames of an account that wait for a slow reader; above it the reader is disconnected. */
  socketLagBytesMax: 1 << 20,
  /** What all accounts keep of them; above it those that do not keep up are disconnected. */
  socketLogBytesMax: 1 << 28,
  /** Frames of an account that are not made yet; above it who would hear them is disconnected. */
  socketFramesDueMax: 1 << 16,
  /** Written to a socket before its reader took some of it, and in one go. */
  socketAheadBytesMax: 32 * 1024,
  socketBatchBytes: 16 * 1024,
  /** What is written and not read; above it a connection ends at once. */
  socketBufferedBytesMax: 128 * 1024,
  /** Trades whose end is not told yet; their listeners hear that they missed them. */
  settledDueMax: 1 << 18,
  /** Markets in one question to the tables about what an account holds. */
  positionsReadMax: 128,
  /** Trades in one question to the tables, how often it is asked, and after how long again. */
  settledReadMax: 1024,
  settledReadsMax: 30,
  settledReadPauseMs: 200,
} as const

assert(
  LIMITS.recordBytesMax + LIMITS.ringHeadroomBytes < LIMITS.ringBytes / 2,
  'a record fits its ring',
)
assert(
  LIMITS.cancelItemsMax * 8 + 64 + LIMITS.ringHeadroomBytes < LIMITS.shardRingBytes / 2,
  'a wide cancel fits the ring of its market',
)
assert(
  LIMITS.socketMarketsMax * (LIMITS.slugCharactersMax + 3) < LIMITS.socketMessageBytesMax,
  'a subscription fits a message',
)
assert(
  LIMITS.socketsPerAddressMax < LIMITS.anonymousSocketsMax &&
    LIMITS.anonymousSocketsMax < LIMITS.socketsMax,
  'no address takes the room of readers without a proof, nor they that of signed clients',
)
assert(
  LIMITS.socketAheadBytesMax + 2 * LIMITS.socketBatchBytes < LIMITS.socketBufferedBytesMax,
  'a batch and the reason of an end fit behind what is not read',
)
assert(LIMITS.ordersUnderWayMax <= LIMITS.inFlightMax / 2, 'orders leave room for cancels')
assert(
  ROOMS.reduce((sum, room) => sum + LIMITS.rooms[room].all, 0) <= LIMITS.inFlightMax,
  'all rooms together hold what may be under way',
)
assert(LIMITS.ordersUnderWayMax <= LIMITS.rooms.orders.all, 'orders under way find a place')
assert(LIMITS.batchOrdersMax < 255, 'a place in a group fits its byte')
assert(LIMITS.bodyBytesMax * 2 <= LIMITS.recordBytesMax, 'a body fits a record')
assert(LIMITS.cancelItemsMax * 8 + 64 < LIMITS.recordBytesMax, 'a wide cancel fits a record')
assert(LIMITS.batchCancelIdsMax <= LIMITS.cancelItemsMax, 'a batch cancel is one command')
assert(LIMITS.venueAddressesMax * 64 < LIMITS.recordBytesMax, 'approvals of all fit a record')
assert(LIMITS.marketsMax < 1 << 16, 'a market id fits its event word')
assert(LIMITS.takerDelayMsMax < 1 << 16, 'a delay fits its field of a PLACE record')
assert(LIMITS.feeBpsMax < 1 << 16, 'a fee fits its field of a PLACE record')
assert(LIMITS.clientOrderIdBytesMax < 1 << 16, 'a client id fits its field of a PLACE record')
assert(
  LIMITS.clientOrderIdCodePointsMax * 2 < LIMITS.clientOrderIdGivenCharactersMax,
  'a client id with a space beside it may come',
)
