import { assert } from './assert.ts'

/**
 * The rooms of requests under way: with a body that is not complete; from those who watch the
 * process; freeing what is reserved; placing orders; reading; searching; and all other requests.
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

/** Every bound in the system. The code that checks a bound says what happens there. */
export const LIMITS = {
  /** Largest size of one order in raw shares, and largest spend of a market buy. */
  orderSizeRawMax: 10_000_000_000_000,
  feeBpsMax: 1000,
  /** Shares that a side of a book, a trade or a pool needs before its price is a mark. */
  markSizeRawMin: 10_000_000,
  /** Live orders of the whole exchange: the length of every order column. */
  orderSlotsMax: 1 << 21,
  /** Books of one exchange: markets that live at once and take orders. */
  booksMax: 4096,
  /** Main looks so often for markets that are over, and archives so many of them at once. */
  archiveEveryMs: 20,
  archiveAtOnceMax: 64,
  /** Archived markets that the intake knows again, because orders for them came. */
  recalledMarketsMax: 256,
  /** Markets over the life of a data folder. */
  marketsEverMax: 10_000_000,
  /** Children of one group: the id of a question has one byte for them (rules §6.3). */
  groupChildrenMax: 255,
  /** Series that are in memory, and slots that one creates ahead. */
  seriesMax: 1000,
  slotsAheadMax: 100,
  /** Slots of a timeline before its anchor, and behind it. */
  timelineSlotsMax: 500,
  /** Prices that the oracle tells in one call. */
  reportsAtOnceMax: 100,
  /** Candles in one reply. */
  candlesMax: 5000,
  /** Payouts that one command posts, and how soon main looks for more. */
  payoutsAtOnceMax: 256,
  payoutEveryMs: 100,
  /** While a slot has no free book, or the journal no room, its opening is tried so often. */
  slotRetryMs: 1000,
  /** Exchanges and adapters of all markets together: one server wallet approves all of them. */
  venueAddressesMax: 1024,
  /** A Map of V8 holds 2^24 keys, so whatever is kept in one has a gate well below that. */
  profilesMax: 1 << 23,
  tokensMax: 1 << 23,
  /**
   * Token secrets that are kept unsealed. At the bound all of them are dropped and unsealed again.
   */
  openedTokensMax: 1 << 16,
  /** Different ranks that profiles ever had. */
  ranksMax: 1 << 15,
  sessionsMax: 1 << 21,
  /** Addresses whose new profiles of today are counted. */
  registrationAddressesMax: 1 << 16,
  positionsMax: 1 << 23,
  /** Live orders of one profile, so that none can take every slot. */
  openOrdersPerProfileMax: 1 << 18,
  /** Orders that one cancel command may name. A wider cancel becomes several commands. */
  cancelItemsMax: 1000,
  /** Heartbeats that one command fires, and the live orders of all their profiles together. */
  heartbeatsAtOnceMax: 512,
  heartbeatOrdersAtOnceMax: 4096,
  batchCancelIdsMax: 50,
  batchOrdersMax: 50,
  batchReplacesMax: 20,
  /** Orders and cancels of one account that wait while its replacement is decided. */
  accountQueueMax: 256,
  statusItemsMax: 50,
  /** Makers shown for one trade in an order's status. */
  statusMakersMax: 100,
  /**
   * Makers shown for all trades in one such reply, with those that self-trade prevention canceled.
   */
  statusMakersInAllMax: 500,
  /** Makers in the reply to an order, and own orders in it that self-trade prevention canceled. */
  replyOrdersMax: 1000,
  /** Rows of the reply to a cancel of all orders, of canceled orders and of those still open. */
  cancelRowsMax: 10_000,
  /**
   * Milliseconds that main works on one wide thing (due deadlines, answers of markets, replies of a
   * commit) before it lets other work run. The rest continues in the next turn of the event loop.
   */
  mainSliceMs: 4,
  /**
   * What main settles and publishes between two looks at that time: a record is 1, a frame 8 more.
   */
  drainWorkPerLook: 256,
  clientOrderIdCodePointsMax: 128,
  clientOrderIdBytesMax: 512,
  /** The id as sent, with the spaces around it, which are trimmed (rules §4.5). */
  clientOrderIdGivenCharactersMax: 1024,
  recvWindowMsMax: 10_000,
  /** The first reply to an order is given again for so long. */
  replayMs: 86_400_000,
  /** Ten years: an expiration further ahead is taken for milliseconds (rules §1.3). */
  expirationAheadSecMax: 3653 * 86_400,
  /** A heartbeat deadline lies at least this far ahead of server time. */
  heartbeatAheadMsMin: 5000,
  /** Trading windows that are scheduled or active. */
  tradingWindowsMax: 64,
  publicMessageCharactersMax: 500,
  /** Profiles frozen at once. An operator who needs more restricts trading by a mode. */
  frozenProfilesMax: 1 << 20,
  freezeReasonCharactersMax: 500,
  /** Operators beside the first. Each admin call compares its token with the tokens of all. */
  operatorsMax: 256,
  operatorNameCharactersMax: 32,
  auditLimitMax: 100,
  takerDelayMsMax: 60_000,
  clockToleranceMs: 1000,
  userOrdersLimitMax: 200,
  activeMarketsLimitMax: 25,
  /** Trades on one page of a market's history. */
  marketTradesLimitMax: 100,
  /** Points of a price series. */
  pricePointsMax: 500,
  /** Books in one reply. */
  orderbooksMax: 50,
  /** Slugs in the query of one call, with a comma between each two. */
  querySlugsCharactersMax: 50 * 129 - 1,
  /** Rows on one page of an operator's list. */
  adminListLimitMax: 500,
  usernameCharactersMax: 44,
  displayNameCharactersMax: 44,
  bioCharactersMax: 280,
  profileUrlCharactersMax: 512,
  slugCharactersMax: 128,
  titleCharactersMax: 256,
  descriptionCharactersMax: 10_000,
  /** Category names that markets ever had. */
  categoriesMax: 10_000,
  marketPagesMax: 1000,
  pageDepthMax: 6,
  /** Paths from which pages moved. Above it the oldest is forgotten. */
  movedPathsMax: 4096,
  pageSlugCharactersMax: 64,
  pageNameCharactersMax: 128,
  /** Base filter, filter groups and metadata of one page as JSON. */
  pageContentBytesMax: 16 * 1024,
  propertyKeysMax: 200,
  optionsPerKeyMax: 2000,
  /** Options of all keys. */
  propertyOptionsMax: 20_000,
  /** Options that one call may change: an option of a few bytes is a hundred in the journal. */
  optionsPerCallMax: 250,
  optionDepthMax: 6,
  /** Metadata of a key or an option as JSON. */
  propertyMetadataBytesMax: 1024,
  filterValueCharactersMax: 64,
  /** Properties of one market, and values of one of them. */
  marketPropertiesMax: 16,
  propertyValuesMax: 16,
  /** Filter keys of a page or a call, and values of all of them. */
  filterKeysMax: 16,
  filterValuesMax: 64,
  filterGroupsMax: 16,
  /** Values of one filter key that are counted in a reply. */
  filterCountsMax: 500,
  /** Queries whose counts are kept, and the counts of all of them. */
  countedQueriesMax: 256,
  filterCountsKeptMax: 1 << 17,
  pageMarketsLimitMax: 100,
  tokenLabelCharactersMax: 64,
  tokensPerProfileMax: 100,
  withdrawalAddressesPerProfileMax: 100,
  withdrawalLabelCharactersMax: 64,
  subAccountsPerPartnerMax: 1 << 17,
  subAccountsPageMax: 25,
  /** Time between two retries of a server wallet's approvals. */
  allowanceRetryEveryMs: 5000,
  sessionMs: 30 * 24 * 3_600_000,
  sessionsPerProfileMax: 32,
  loginNonceMs: 5 * 60_000,
  signatureSkewMs: 30_000,
  /** The head of an HTTP request; a longer one gets 431. Each connection may keep so many bytes. */
  headBytesMax: 12 << 10,
  /** An HTTP request body; a larger one gets 413. */
  bodyBytesMax: 64 * 1024,
  /** Time from the head of a request to the first and to the last byte of its body; then 408. */
  bodyFirstMs: 2000,
  bodyDeadlineMs: 10_000,
  /** One journal record. In it a number of four characters of a body becomes nine bytes. */
  recordBytesMax: 256 * 1024,
  /** Connections in all, if the process may open so many files. Further ones are closed at once. */
  connectionsMax: 1 << 16,
  /** Connections of the operators' listener. */
  operatorConnectionsMax: 64,
  /** Files that connections leave to the rest of the process. */
  descriptorsReserved: 96,
  /** Requests of all kinds under way. The rooms together hold no more than this. */
  inFlightMax: 16_384,
  /**
   * Requests under way by kind, so that a flood of one kind never delays another. `all` bounds the
   * kind; above it the answer is 503. `address` and `profile` bound one address and one profile;
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
   * Replies that wait for their readers, of all and of one address. Above it connections are cut.
   */
  unreadReplyBytes: { all: 256 << 20, address: 16 << 20 },
  /** Compressed replies that are kept, and compressions under way on the library's four threads. */
  compressedReplies: { bytesMax: 32 << 20, entriesMax: 1 << 14, atOnceMax: 2 },
  /**
   * Orders under way. Above it the next order gets 503, unread. It bounds the wait of an accepted
   * order (a tenth of a second at ten thousand a second) and leaves the rest of `inFlightMax` to
   * cancels. A smaller bound starves the intake pool while main reads a flood. A larger one buys
   * nothing.
   */
  ordersUnderWayMax: 1024,
  /**
   * Legs that one command reverses: an account has one leg for each outcome. A trade with more of
   * them is reversed by several commands.
   */
  reversalLegsMax: 1500,
  /** Faults that the embedded chain is armed with and has not made yet. */
  settlementFaultsMax: 400,
  /**
   * Deposits less withdrawals of the whole exchange, in raw units. It is a quarter of what counts
   * exactly: advances of conversions and debts of failed trades come on top.
   */
  fundedRawMax: 2 ** 51,
  /** Trades without a block that a start reads. Older ones are mined without a notice. */
  waitingTradesMax: 1 << 16,
  batchBytesMax: 1 << 20,
  ringBytes: 1 << 22,
  /** A ring between main and one market thread. Each market may have two. */
  shardRingBytes: 1 << 20,
  /** Room in each ring that only commands of deadlines may use. */
  ringReserveBytes: 256 * 1024,
  /** Log lines that standard error has not taken. Above it lines are dropped and counted. */
  logWaitingBytesMax: 1 << 20,
  /** Encoded markets kept for readers. Above it they are dropped and encoded again. */
  marketBytesCachedMax: 1 << 26,
  /** A thread that gives no sign of life for longer makes the exchange not ready. */
  threadSilentMsMax: 1000,
  /** Read tables that are behind the durable seq, and stand still, for longer: it is not ready. */
  followerLagMsMax: 5000,
  /** Less disk room for the journal, its log and a snapshot makes the exchange not ready. */
  diskFreeBytesMin: 1 << 27,
  marketThreadsAutoMax: 16,
  marketThreadsEachMax: 64,
  privateReadDeadlineMs: 1000,
  /** A snapshot is due after this many commands. */
  snapshotEveryCommands: 250_000,
  /**
   * A snapshot that failed is tried again after the first pause, which doubles up to the second.
   */
  snapshotRetryMsMin: 5_000,
  snapshotRetryMsMax: 600_000,
  /** Bytes that a command takes in the journal, on average. */
  commandBytesTypical: 256,
  /** Longest time that orders wait for the markets to stand still. */
  quiescenceWaitMsMax: 100,
  queryQueueMax: 1024,
  searchCharactersMax: 200,
  /** Words of a query that are looked up. The rest counts for its meaning alone. */
  searchWordsMax: 8,
  /** Markets that one word of a query finds: the newest. */
  searchRowsMax: 1000,
  /** Markets that one query finds. */
  searchFoundMax: 1000,
  searchLimitMax: 100,
  /** Answers of the newest queries that are kept until a market changes. */
  searchesKeptMax: 128,
  /** Markets whose meaning is kept in memory. Beyond it the newest at the start of the thread. */
  searchedMarketsMax: 1 << 14,
  /** Changes of searched markets that are kept. A reader that missed more reads all markets. */
  searchChangesMax: 4096,
  recommendationsMax: 5,
  /** Reads of one profile under way, so that one profile cannot fill the queue. */
  readsPerProfileMax: 256,
  /** Reads of the tables under way for one address whose callers are not known. */
  readsPerAddressMax: 64,
  /** Deaths of intake or query threads without an input to blame. More of them end the process. */
  idleDeathsPerMinuteMax: 5,
  /** Open sockets. Above it an upgrade gets 503. */
  socketsMax: 16_384,
  /** Sockets of clients without a proof. The rest is for signed clients. */
  anonymousSocketsMax: 8192,
  /** Sockets of one address. Above it an upgrade gets 429. */
  socketsPerAddressMax: 2048,
  /** Sockets of one profile. Above it a client gets `exception` and is disconnected. */
  socketsPerProfileMax: 1024,
  /** One message of a client. A longer one ends its connection. */
  socketMessageBytesMax: 16 * 1024,
  /**
   * A message that joins a namespace, the name of a namespace, and any packet that is not a
   * message.
   */
  socketControlBytesMax: 512,
  /** Messages of one socket in a second. A client that sends more is disconnected. */
  socketMessagesPerSecondMax: 50,
  /**
   * Messages of all sockets of an address or a profile in `ownerMessagesSec`. It is wide because
   * clients come back all at once.
   */
  ownerMessagesMax: 8192,
  ownerMessagesSec: 4,
  /** Markets in one subscription. */
  socketMarketsMax: 100,
  /** Markets in the subscriptions of all sockets of a profile. */
  socketMarketsPerProfileMax: 4096,
  /** Markets in the public subscriptions of all sockets of an address, and of all sockets. */
  socketMarketsPerAddressMax: 16_384,
  socketMarketsAllMax: 1 << 19,
  /**
   * Markets that an address or a profile names in public subscriptions in `ownerMessagesSec`. One
   * with a long first frame counts several times (server/edge/sockets/frame-rates.ts).
   */
  ownerMarketsRequestedMax: 32_768,
  /**
   * Readers of one native topic; a frame goes out to so many in one turn of the loop. An order
   * passes main in several turns, and may wait for such a part of a frame in each.
   */
  socketTopicMembersMax: 64,
  /** Bytes of shared frames that one turn may give to a reader. */
  socketTickBytesMax: 64 * 1024,
  /** A reader with more unread bytes gets no shared frames; it gets the newest when it has room. */
  socketTopicAheadBytesMax: 16 * 1024,
  /** Shared frames of one room that wait to be sent. Above it its readers are all behind. */
  socketGroupFramesMax: 4096,
  /** Newest frames of a tape, and their bytes, which a reader that was behind still gets. */
  socketTapeFramesMax: 64,
  socketTapeBytesMax: 64 * 1024,
  /** Frames of an account that wait for a slow reader. Above it the reader is disconnected. */
  socketLagBytesMax: 1 << 20,
  /** Waiting frames of all accounts. Above it the readers that do not keep up are disconnected. */
  socketLogBytesMax: 1 << 28,
  /** Frames of an account that are not rendered yet. Above it their readers are disconnected. */
  socketFramesDueMax: 1 << 16,
  /** Bytes written to a socket ahead of its reader, and bytes written in one go. */
  socketAheadBytesMax: 32 * 1024,
  socketBatchBytes: 16 * 1024,
  /** Bytes written and not read. Above it a connection ends at once. */
  socketBufferedBytesMax: 224 * 1024,
  /** Trades whose end is not told yet. Above it their listeners hear that they missed them. */
  settledDueMax: 1 << 18,
  /** Markets in one read of an account's positions. */
  positionsReadMax: 128,
  /** Candles in one read of what markets traded in the last day, at a start. */
  candlesReadMax: 2048,
  /** Trades in one read of settled trades. */
  settledReadMax: 1024,
  /** How often a read is tried that nobody repeats, and the pause after each try. */
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
  'a batch and the reason for a disconnect fit behind unread bytes',
)
assert(
  2 * (LIMITS.socketTopicAheadBytesMax + LIMITS.socketTickBytesMax + LIMITS.socketBatchBytes) <
    LIMITS.socketBufferedBytesMax,
  'shared frames of a turn, a whole book and a batch fit behind unread bytes',
)
assert(
  LIMITS.socketTapeBytesMax <= LIMITS.socketTickBytesMax,
  'a tape gives a reader no more at once than the frames of a turn',
)
assert(LIMITS.ordersUnderWayMax <= LIMITS.inFlightMax / 2, 'orders leave room for cancels')
assert(
  BULKHEADS.reduce((sum, bulkhead) => sum + LIMITS.bulkheads[bulkhead].all, 0) <=
    LIMITS.inFlightMax,
  'all rooms together hold no more than may be under way',
)
assert(LIMITS.ordersUnderWayMax <= LIMITS.bulkheads.orders.all, 'orders under way fit their room')
assert(LIMITS.batchOrdersMax < 255, 'an index in a group fits its byte')
assert(
  2 * LIMITS.fundedRawMax + LIMITS.settlementFaultsMax * LIMITS.orderSizeRawMax <=
    Number.MAX_SAFE_INTEGER,
  'all funds, as much again in advance, and the debts of all armed failures count exactly',
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
