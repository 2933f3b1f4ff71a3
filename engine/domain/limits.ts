import { assert } from './assert.ts'

/**
 * Concurrency limits of requests: with an incomplete body; from monitoring; releasing reserves;
 * placing orders; reading; searching; and all other requests.
 */
export const BULKHEADS = [
  'bodies',
  'vital',
  'frees',
  'orders',
  'reads',
  'searches',
  'others',
] as const
export type BulkheadName = (typeof BULKHEADS)[number]

/** All limits of the system. The code that checks a limit defines the effect. */
export const LIMITS = {
  /** Largest size of one order in raw shares, and largest spend of a market buy. */
  orderSizeRawMax: 10_000_000_000_000,
  feeBpsMax: 1000,
  /** Shares that a side of a book, a trade or a pool needs for its price to be a mark. */
  markSizeRawMin: 10_000_000,
  /** Live orders of the whole exchange: the length of each order column. */
  orderSlotsMax: 1 << 21,
  /** Books of one exchange: live markets that take orders. */
  booksMax: 4096,
  /** How often main checks for markets to archive, and how many it archives at once. */
  archiveEveryMs: 20,
  archiveAtOnceMax: 64,
  /** Archived markets that the intake cached because orders for them arrived. */
  recalledMarketsMax: 256,
  /** Markets over the lifetime of a data folder. */
  marketsEverMax: 10_000_000,
  /** Children of one group: a question id has one byte for them (rules §6.3). */
  groupChildrenMax: 255,
  /** Series in memory, and slots that each creates ahead. */
  seriesMax: 1000,
  slotsAheadMax: 100,
  /** Slots of a timeline before its anchor, and after it. */
  timelineSlotsMax: 500,
  /** Oracle prices reported in one call. */
  reportsAtOnceMax: 100,
  /** Candles in one reply. */
  candlesMax: 5000,
  /** Payouts posted by one command, and the interval at which main checks for more. */
  payoutsAtOnceMax: 256,
  payoutEveryMs: 100,
  /** Retry interval for opening a slot while no book is free or the journal is full. */
  slotRetryMs: 1000,
  /** Exchanges and adapters of all markets together. Each server wallet approves all of them. */
  venueAddressesMax: 1024,
  /** A V8 Map holds 2^24 keys, so everything kept in a Map has a limit well below that. */
  profilesMax: 1 << 23,
  tokensMax: 1 << 23,
  /**
   * Decrypted token secrets in memory. At the limit all of them are dropped and decrypted again.
   */
  openedTokensMax: 1 << 16,
  /** Distinct ranks of all profiles ever. */
  ranksMax: 1 << 15,
  sessionsMax: 1 << 21,
  /** Addresses for which today's new profiles are counted. */
  registrationAddressesMax: 1 << 16,
  positionsMax: 1 << 23,
  /** Live orders of one profile, so that no profile takes every slot. */
  openOrdersPerProfileMax: 1 << 18,
  /** Orders in one cancel command. A larger cancel becomes several commands. */
  cancelItemsMax: 1000,
  /** Heartbeats that one command fires, and the live orders of their profiles together. */
  heartbeatsAtOnceMax: 512,
  heartbeatOrdersAtOnceMax: 4096,
  batchCancelIdsMax: 50,
  batchOrdersMax: 50,
  batchReplacesMax: 20,
  /** Orders and cancels of one account that wait while its replace is decided. */
  accountQueueMax: 256,
  statusItemsMax: 50,
  /** Makers listed for one trade in an order's status. */
  statusMakersMax: 100,
  /**
   * Makers listed for all trades of such a reply, including those canceled by self-trade
   * prevention.
   */
  statusMakersInAllMax: 500,
  /**
   * Makers in the reply to an order, and the caller's orders in it that self-trade prevention
   * canceled.
   */
  replyOrdersMax: 1000,
  /** Rows of a cancel-all reply: canceled orders, and orders still open. */
  cancelRowsMax: 10_000,
  /**
   * Time that main spends on one long task (due deadlines, answers of markets, replies of a commit)
   * before other work runs. The rest continues in the next tick of the event loop.
   */
  mainSliceMs: 4,
  /**
   * Work units that main settles and publishes between two checks of that time: 1 per record, 8
   * more per frame.
   */
  drainWorkPerLook: 256,
  clientOrderIdCodePointsMax: 128,
  clientOrderIdBytesMax: 512,
  /** The id as received, including surrounding spaces, which are trimmed (rules §4.5). */
  clientOrderIdGivenCharactersMax: 1024,
  recvWindowMsMax: 10_000,
  /** How long the first reply to an order can be replayed. */
  replayMs: 86_400_000,
  /** Ten years. A later expiration is taken to be in milliseconds (rules §1.3). */
  expirationAheadSecMax: 3653 * 86_400,
  /** A heartbeat deadline lies at least this far ahead of server time. */
  heartbeatAheadMsMin: 5000,
  /** How long after the last disconnect of a profile its orders are canceled, if it wants that. */
  cancelAfterMsMax: 600_000,
  /** Scheduled and active trading windows. */
  tradingWindowsMax: 64,
  publicMessageCharactersMax: 500,
  /** Profiles frozen at once. For more, an operator restricts trading with a mode. */
  frozenProfilesMax: 1 << 20,
  freezeReasonCharactersMax: 500,
  /** Operators besides the first. Each admin call compares its token with every operator's. */
  operatorsMax: 256,
  operatorNameCharactersMax: 32,
  auditLimitMax: 100,
  takerDelayMsMax: 60_000,
  clockToleranceMs: 1000,
  userOrdersLimitMax: 200,
  /** Orders of one list of places in queues, and how many are counted for each and for all. */
  placesMax: 256,
  aheadCountedMax: 10_000,
  aheadCountedInAllMax: 40_000,
  /** Lists of places that wait for one market thread. */
  placesWaitingMax: 32,
  activeMarketsLimitMax: 25,
  /** Trades per page of a market's history. */
  marketTradesLimitMax: 100,
  /** Points of a price series. */
  pricePointsMax: 500,
  /** Books in one reply. */
  orderbooksMax: 50,
  /** Slugs in the query of one call, separated by commas. */
  querySlugsCharactersMax: 50 * 129 - 1,
  /** Rows per page of an operator's list. */
  adminListLimitMax: 500,
  usernameCharactersMax: 44,
  displayNameCharactersMax: 44,
  bioCharactersMax: 280,
  profileUrlCharactersMax: 512,
  slugCharactersMax: 128,
  titleCharactersMax: 256,
  descriptionCharactersMax: 10_000,
  /** Distinct category names of all markets ever. */
  categoriesMax: 10_000,
  marketPagesMax: 1000,
  pageDepthMax: 6,
  /** Former paths of moved pages. Above the limit the oldest is dropped. */
  movedPathsMax: 4096,
  pageSlugCharactersMax: 64,
  pageNameCharactersMax: 128,
  /** JSON of one page: base filter, filter groups and metadata. */
  pageContentBytesMax: 16 * 1024,
  propertyKeysMax: 200,
  optionsPerKeyMax: 2000,
  /** Options of all keys together. */
  propertyOptionsMax: 20_000,
  /** Options changed by one call: an option of a few bytes takes about a hundred in the journal. */
  optionsPerCallMax: 250,
  optionDepthMax: 6,
  /** JSON metadata of a key or an option. */
  propertyMetadataBytesMax: 1024,
  filterValueCharactersMax: 64,
  /** Properties of one market, and values of one property. */
  marketPropertiesMax: 16,
  propertyValuesMax: 16,
  /** Filter keys of a page or a call, and values of all keys together. */
  filterKeysMax: 16,
  filterValuesMax: 64,
  filterGroupsMax: 16,
  /** Values of one filter key counted in a reply. */
  filterCountsMax: 500,
  /** Queries with cached counts, and the counts of all of them. */
  countedQueriesMax: 256,
  filterCountsKeptMax: 1 << 17,
  pageMarketsLimitMax: 100,
  tokenLabelCharactersMax: 64,
  tokensPerProfileMax: 100,
  withdrawalAddressesPerProfileMax: 100,
  withdrawalLabelCharactersMax: 64,
  subAccountsPerPartnerMax: 1 << 17,
  subAccountsPageMax: 25,
  /** Interval between retries of a server wallet's approvals. */
  allowanceRetryEveryMs: 5000,
  sessionMs: 30 * 24 * 3_600_000,
  sessionsPerProfileMax: 32,
  loginNonceMs: 5 * 60_000,
  signatureSkewMs: 30_000,
  /** The head of an HTTP request; a longer one gets 431. Each connection may buffer this much. */
  headBytesMax: 12 << 10,
  /** The body of an HTTP request; a larger one gets 413. */
  bodyBytesMax: 64 * 1024,
  /** Time from a request's head to the first and to the last byte of its body; then 408. */
  bodyFirstMs: 2000,
  bodyDeadlineMs: 10_000,
  /** One journal record. A four-character number of a body takes nine bytes in it. */
  recordBytesMax: 256 * 1024,
  /** All connections, if the process may open that many files. More are closed immediately. */
  connectionsMax: 1 << 16,
  /** Connections to the operators' listener. */
  operatorConnectionsMax: 64,
  /** File descriptors reserved for everything except connections. */
  descriptorsReserved: 96,
  /** Requests of all kinds in flight. The limits of the kinds add up to no more. */
  inFlightMax: 16_384,
  /**
   * Requests in flight by kind, so that a flood of one kind never delays another. `all` limits the
   * kind; above it the answer is 503. `address` and `profile` limit one address and one profile;
   * above them the answer is 429.
   */
  bulkheads: {
    bodies: { all: 2048, address: 128, profile: 128 },
    vital: { all: 512, address: 64, profile: 64 },
    frees: { all: 4096, address: 1024, profile: 512 },
    orders: { all: 4096, address: 512, profile: 256 },
    reads: { all: 4096, address: 256, profile: 128 },
    searches: { all: 128, address: 16, profile: 16 },
    others: { all: 1024, address: 128, profile: 32 },
  },
  /**
   * Reply bytes not yet read by clients, in total and for one address. Above it connections are
   * cut.
   */
  unreadReplyBytes: { all: 256 << 20, address: 16 << 20 },
  /** Longest reply that an edge thread keeps, and all that it keeps. */
  keptReplyBytesMax: 256 << 10,
  keptReplies: { bytesMax: 16 << 20, targetsMax: 4096 },
  /** Cached compressed replies, and concurrent compressions on the library's four threads. */
  compressedReplies: { bytesMax: 32 << 20, entriesMax: 1 << 14, atOnceMax: 2 },
  /**
   * Orders in flight. Above it the next order gets 503 without being parsed. It bounds the wait of
   * an accepted order (0.1 s at 10,000 orders a second) and leaves the rest of `inFlightMax` to
   * cancels. A higher limit brings no gain.
   */
  ordersUnderWayMax: 1024,
  /**
   * Orders that wait until the contract of a wallet has verified their signatures: in all (503),
   * and of one address and one profile (429). A batch of orders fits the share of a profile.
   */
  walletChecks: { all: 256, address: 64, profile: 64 },
  /** Above it such an order gets 503. Each URL of the chain gets its part of the time. */
  walletDeadlineMs: 3000,
  /** How long an answer of a wallet holds, and how many answers are kept. */
  walletAnswerMs: { accepts: 60_000, refuses: 3000 },
  walletAnswersMax: 10_000,
  /**
   * Legs that one command reverses: one for each account and outcome. A trade with more legs is
   * reversed by several commands.
   */
  reversalLegsMax: 1500,
  /** Faults set on the embedded chain that it has not used yet. */
  settlementFaultsMax: 400,
  /**
   * Deposits less withdrawals of the whole exchange, in raw units. It is a quarter of the range
   * that counts exactly: advances of conversions and debts of failed trades are added to it.
   */
  fundedRawMax: 2 ** 51,
  /** How long a reply waits until the transaction of a move is sent to an EVM chain. */
  sentHashDeadlineMs: 10_000,
  /** Moves of server wallets that wait for an EVM chain. */
  dueMoves: { wallet: 8, partner: 1000, all: 10_000 },
  /** Trades without a block that a start reads. Older ones are mined without an event. */
  waitingTradesMax: 1 << 16,
  batchBytesMax: 1 << 20,
  ringBytes: 1 << 22,
  /** A ring between main and one market thread. Each market may have two. */
  shardRingBytes: 1 << 20,
  /** Ring space reserved for commands of deadlines. */
  ringReserveBytes: 256 * 1024,
  /** Log bytes waiting for standard error. Above it lines are dropped and counted. */
  logWaitingBytesMax: 1 << 20,
  /** Cached encoded markets. Above it all are dropped and encoded again. */
  marketBytesCachedMax: 1 << 26,
  /** The exchange is not ready while a thread has not responded for longer. */
  threadSilentMsMax: 1000,
  /** The exchange is not ready while the read tables lag and have made no progress for longer. */
  followerLagMsMax: 5000,
  /** The exchange is not ready with less disk space for the journal, its WAL and a snapshot. */
  diskFreeBytesMin: 1 << 27,
  marketThreadsAutoMax: 16,
  marketThreadsEachMax: 64,
  privateReadDeadlineMs: 1000,
  /** A read that comes before the query thread has started waits longer by this at most. */
  queryStartMsMax: 5000,
  /** Commands between snapshots. */
  snapshotEveryCommands: 250_000,
  /** Bytes of records in a segment of the archive, and days that they stay in the journal. */
  segmentBytes: 1 << 28,
  /** Part of a processor that sealing takes: 5 MB of commands a second, those of 12,500 orders. */
  sealingShare: 0.1,
  journalDays: 7,
  /** Days for which the read tables have history. */
  historyDays: 400,
  /** Days for which orders are remembered, and MiB for their keys. */
  orderMemoryDays: 30,
  orderMemoryMb: 512,
  /** The keys of as many live orders as there may be (see above) never fill a sixteenth of it. */
  orderMemoryMbMin: 256,
  /** False hits are one in 2^31 a key: every second order beyond. */
  orderMemoryMbMax: 4096,
  /** Pause before a failed snapshot is retried. It doubles up to the maximum. */
  snapshotRetryMsMin: 5_000,
  snapshotRetryMsMax: 600_000,
  /** Average bytes of a command in the journal. */
  commandBytesTypical: 256,
  /** Longest time that orders wait for all markets to be idle. */
  quiescenceWaitMsMax: 100,
  queryQueueMax: 1024,
  searchCharactersMax: 200,
  /** Words of a query that are looked up. Further words count only for its meaning. */
  searchWordsMax: 8,
  /** Markets found by one word of a query; the newest are kept. */
  searchRowsMax: 1000,
  /** Markets found by one query. */
  searchFoundMax: 1000,
  searchLimitMax: 100,
  /** Cached answers of the latest queries; a change of a market clears them. */
  searchesKeptMax: 128,
  /** Markets whose meaning is held in memory. Above it, the newest when the thread starts. */
  searchedMarketsMax: 1 << 14,
  /** Retained changes of searched markets. A reader that missed more reads all markets again. */
  searchChangesMax: 4096,
  recommendationsMax: 5,
  /** Concurrent reads of one profile, so that no profile fills the queue. */
  readsPerProfileMax: 256,
  /** Concurrent reads of the tables by anonymous callers of one address. */
  readsPerAddressMax: 64,
  /** Deaths of intake or query threads that no input explains. More of them end the process. */
  idleDeathsPerMinuteMax: 5,
  /** Open sockets. Above it an upgrade gets 503. */
  socketsMax: 32_768,
  /** Sockets of unauthenticated clients. The rest is reserved for authenticated ones. */
  anonymousSocketsMax: 16_384,
  /** Sockets of one address. Above it an upgrade gets 429. */
  socketsPerAddressMax: 2048,
  /** Sockets of one profile. Above it a client gets `exception` and is disconnected. */
  socketsPerProfileMax: 1024,
  /** One client message. A longer one closes the connection. */
  socketMessageBytesMax: 16 * 1024,
  /** A message that joins a namespace, the name of a namespace, and any other control packet. */
  socketControlBytesMax: 512,
  /** Messages of one socket per second. A client that exceeds it is disconnected. */
  socketMessagesPerSecondMax: 50,
  /**
   * Messages of all sockets of an address or a profile within `ownerMessagesSec`. It is high
   * because clients reconnect all at once.
   */
  ownerMessagesMax: 8192,
  ownerMessagesSec: 4,
  /** Markets in one subscription. */
  socketMarketsMax: 100,
  /** Markets in the subscriptions of all sockets of one profile. */
  socketMarketsPerProfileMax: 4096,
  /** Markets in the public subscriptions of all sockets of one address, and of all sockets. */
  socketMarketsPerAddressMax: 16_384,
  socketMarketsAllMax: 1 << 19,
  /**
   * Markets that an address or a profile subscribes to publicly within `ownerMessagesSec`. A market
   * with a long first frame counts several times (server/edge/sockets/frame-rates.ts).
   */
  ownerMarketsRequestedMax: 32_768,
  /**
   * Readers of one native topic; a frame is sent to this many in one tick of the event loop. An
   * order passes main in several ticks and may wait for one such part of a frame in each.
   */
  socketTopicMembersMax: 64,
  /** Bytes of shared frames that a reader gets in one tick. */
  socketTickBytesMax: 64 * 1024,
  /**
   * A reader with more unread bytes gets no shared frames, and the newest one once it catches up.
   */
  socketTopicAheadBytesMax: 16 * 1024,
  /** Shared frames of one broadcast group to be sent. Above it its readers count as lagging. */
  socketGroupFramesMax: 4096,
  /** Newest frames of a tape, and their bytes, that a lagging reader still gets. */
  socketTapeFramesMax: 64,
  socketTapeBytesMax: 64 * 1024,
  /** Account frames queued for a slow reader. Above it the reader is disconnected. */
  socketLagBytesMax: 1 << 20,
  /** The same, whatever they wait for. */
  socketWaitingBytesMax: 1 << 24,
  /** Queued frames of all accounts. Above it the lagging readers are disconnected. */
  socketLogBytesMax: 1 << 28,
  /** Account frames not rendered yet. Above it their readers are disconnected. */
  socketFramesDueMax: 1 << 16,
  /** Bytes written to a socket ahead of its reader, and bytes per write. */
  socketAheadBytesMax: 32 * 1024,
  socketBatchBytes: 16 * 1024,
  /** Bytes written and not read. Above it the connection is closed immediately. */
  socketBufferedBytesMax: 224 * 1024,
  /**
   * Trades whose settlement is not published yet. Above it subscribers get a notice of missed
   * events.
   */
  settledDueMax: 1 << 18,
  /** Markets in one read of an account's positions. */
  positionsReadMax: 128,
  /** Candles in one read of the last day's trading, at a start. */
  candlesReadMax: 2048,
  /** Trades in one read of settled trades. */
  settledReadMax: 1024,
  /** Tries of a read that no caller repeats, and the pause after each. */
  lateReadsMax: 30,
  lateReadPauseMs: 200,
} as const

assert(
  LIMITS.recordBytesMax + LIMITS.ringReserveBytes < LIMITS.ringBytes / 2,
  'a record fits its ring',
)
assert(
  LIMITS.cancelItemsMax * 8 + 64 + LIMITS.ringReserveBytes < LIMITS.shardRingBytes / 2,
  'a wide cancel fits the ring of its market',
)
assert(
  LIMITS.socketMarketsMax * (LIMITS.slugCharactersMax + 3) < LIMITS.socketMessageBytesMax,
  'a subscription fits a message',
)
assert(
  LIMITS.socketsPerAddressMax < LIMITS.anonymousSocketsMax &&
    LIMITS.anonymousSocketsMax < LIMITS.socketsMax,
  'one address cannot take all anonymous sockets, nor anonymous clients all sockets',
)
assert(
  LIMITS.socketAheadBytesMax + 2 * LIMITS.socketBatchBytes < LIMITS.socketBufferedBytesMax,
  'a batch and the reason for a disconnect fit on top of unread bytes',
)
assert(
  2 * (LIMITS.socketTopicAheadBytesMax + LIMITS.socketTickBytesMax + LIMITS.socketBatchBytes) <
    LIMITS.socketBufferedBytesMax,
  'shared frames of a tick, a whole book and a batch fit on top of unread bytes',
)
assert(
  LIMITS.socketTapeBytesMax <= LIMITS.socketTickBytesMax,
  'a tape gives a reader no more at once than the frames of one tick',
)
assert(LIMITS.ordersUnderWayMax <= LIMITS.inFlightMax / 2, 'orders leave capacity for cancels')
assert(
  BULKHEADS.reduce((sum, bulkhead) => sum + LIMITS.bulkheads[bulkhead].all, 0) <=
    LIMITS.inFlightMax,
  'the limits of all kinds fit the limit of requests in flight',
)
assert(
  LIMITS.ordersUnderWayMax <= LIMITS.bulkheads.orders.all,
  'orders in flight fit the limit of their kind',
)
assert(
  LIMITS.batchOrdersMax <= LIMITS.walletChecks.profile,
  'wallets verify a batch of orders at once',
)
assert(LIMITS.walletChecks.all <= LIMITS.ordersUnderWayMax / 2, 'wallets leave orders capacity')
assert(LIMITS.batchOrdersMax < 255, 'an index in a group fits its byte')
assert(
  2 * LIMITS.fundedRawMax + LIMITS.settlementFaultsMax * LIMITS.orderSizeRawMax <=
    Number.MAX_SAFE_INTEGER,
  'all funds, as many advances, and the debts of all set failures count exactly',
)
assert(LIMITS.bodyBytesMax * 3 < LIMITS.recordBytesMax, 'a body fits a record')
assert(
  LIMITS.bodyBytesMax + LIMITS.groupChildrenMax * 640 < LIMITS.recordBytesMax,
  'the children of a group fit a record, with the ids of each',
)
assert(LIMITS.cancelItemsMax * 8 + 64 < LIMITS.recordBytesMax, 'a wide cancel fits a record')
assert(LIMITS.batchCancelIdsMax <= LIMITS.cancelItemsMax, 'a batch cancel is one command')
assert(
  LIMITS.venueAddressesMax * 64 < LIMITS.recordBytesMax,
  'approvals of all venue addresses fit a record',
)
assert(LIMITS.booksMax < LIMITS.searchedMarketsMax, 'every market with a book is searched')
assert(LIMITS.marketsEverMax < 1 << 24, 'a market id fits its event word')
assert(
  LIMITS.clientOrderIdCodePointsMax * 2 < LIMITS.clientOrderIdGivenCharactersMax,
  'a client id may be sent with spaces around it',
)
