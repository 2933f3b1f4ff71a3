import { assert } from './assert.ts'

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
  positionsMax: 1 << 23,
  /** Of one profile, so that none can take every slot. */
  openOrdersPerProfileMax: 1 << 18,
  /** Orders one cancel command may name; wider acts become several commands. */
  cancelItemsMax: 1000,
  batchCancelIdsMax: 50,
  batchOrdersMax: 50,
  batchReplacesMax: 20,
  /** Orders and cancels of one account that wait for its replacement to be decided. */
  heldPerAccountMax: 256,
  statusItemsMax: 50,
  /** Makers told of one trade when an order is asked for; the reply of the order itself has all. */
  statusMakersMax: 100,
  clientOrderIdCodePointsMax: 128,
  clientOrderIdBytesMax: 512,
  recvWindowMsMax: 10_000,
  /** A heartbeat deadline lies at least so far ahead of server time. */
  heartbeatAheadMsMin: 5000,
  /** Trading windows that are not over. */
  tradingWindowsMax: 64,
  publicMessageCharactersMax: 500,
  takerDelayMsMax: 60_000,
  clockToleranceMs: 1000,
  userOrdersLimitMax: 200,
  activeMarketsLimitMax: 25,
  usernameCharactersMax: 44,
  displayNameCharactersMax: 44,
  bioCharactersMax: 280,
  profileUrlCharactersMax: 512,
  slugCharactersMax: 128,
  titleCharactersMax: 256,
  descriptionCharactersMax: 10_000,
  tokenLabelCharactersMax: 64,
  tokensPerProfileMax: 100,
  /** Revoked ones too. */
  tokensEverPerProfileMax: 10_000,
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
  /** One journal record: a rare command carries at most one admin body. */
  recordBytesMax: 128 * 1024,
  /** Requests of all kinds under way; above it 503. */
  inFlightMax: 16_384,
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
  marketThreadsAutoMax: 16,
  marketThreadsEachMax: 64,
  privateReadDeadlineMs: 1000,
  /** A snapshot is due after this many commands. */
  snapshotEveryCommands: 250_000,
  /** What a command takes of the journal, about. */
  commandBytesTypical: 256,
  /** Orders wait no longer for the markets to stand still. */
  holdMsMax: 100,
  queryQueueMax: 1024,
  /** Open sockets; above it an upgrade gets 503. */
  socketsMax: 16_384,
  /** One message of a client; a longer one ends its connection. */
  socketMessageBytesMax: 16 * 1024,
  /** A client that says more within a second is disconnected. */
  socketMessagesPerSecondMax: 50,
  /** Markets in one subscription. */
  socketMarketsMax: 100,
  /** Frames that wait for a slow reader; above it the reader is disconnected. */
  socketBufferedBytesMax: 512 * 1024,
  /** Trades whose end is not told yet; their listeners hear that they missed them. */
  settledDueMax: 1 << 18,
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
assert(LIMITS.ordersUnderWayMax <= LIMITS.inFlightMax / 2, 'orders leave room for cancels')
assert(LIMITS.batchOrdersMax < 255, 'a place in a group fits its byte')
assert(LIMITS.bodyBytesMax * 2 <= LIMITS.recordBytesMax, 'a body fits a record')
assert(LIMITS.cancelItemsMax * 8 + 64 < LIMITS.recordBytesMax, 'a wide cancel fits a record')
assert(LIMITS.batchCancelIdsMax <= LIMITS.cancelItemsMax, 'a batch cancel is one command')
assert(LIMITS.venueAddressesMax * 64 < LIMITS.recordBytesMax, 'approvals of all fit a record')
assert(LIMITS.marketsMax < 1 << 16, 'a market id fits its event word')
assert(LIMITS.takerDelayMsMax < 1 << 16, 'a delay fits its field of a PLACE record')
