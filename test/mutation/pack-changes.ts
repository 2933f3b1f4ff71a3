import type { FileChanges } from './mutation.ts'

// Packs, and offers of packs.

const ODDS = ['test/engine/core/packs/pack-odds.test.ts']
const LIFE = ['test/engine/core/packs/packs.test.ts']
const FOLLOWED = ['test/persistence/follower/packs/packs.test.ts']
const CURATED = ['test/engine/core/packs/curated-packs.test.ts']
const CURATED_ROUTES = ['test/server/api/packs/curated-packs.test.ts']
const ROUTES = ['test/server/api/packs/packs.test.ts']

export const PACK_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/packs/pack-odds.ts',
    tests: ODDS,
    changes: [
      ['nothing is kept', 'KEPT = PERCENT - BigInt(vigPercent)', 'KEPT = PERCENT'],
      ['a hopeless ask prices a leg', 'ticks >= priceMinTicks && ', ''],
      ['a sure ask prices a leg', ' && ticks <= priceMaxTicks', ''],
      ['the window has no end', 'ticks <= best + windowTicks', 'ticks <= 1000'],
      ['a leg costs too little', '(weighted + boughtRaw - 1n) / boughtRaw', 'weighted / boughtRaw'],
      ['any depth is enough', 'isDeep: leftRaw === 0', 'isDeep: true'],
      [
        'the highest payout is refused',
        'kept > BigInt(multiplierMax)',
        'kept >= BigInt(multiplierMax)',
      ],
      ['a pack may pay its stake', 'isTooLow: kept <= whole', 'isTooLow: kept < whole'],
      ['a void leg pays more', 'Math.min(fullRaw, Math.max(', 'Math.max(fullRaw, Math.max('],
      [
        'a void leg pays less than the stake',
        'Math.max(stakeRaw, payoutRaw(stakeRaw, left))',
        'payoutRaw(stakeRaw, left)',
      ],
      [
        'void legs alone pay all',
        'if (left.length === 0) return stakeRaw',
        'if (left.length === 0) return fullRaw',
      ],
    ],
  },
  {
    file: 'engine/core/packs/packs.ts',
    tests: LIFE,
    changes: [
      ['a split wins', "if (yes > 0 && no > 0) return 'VOID'\n", '\n'],
      ['a lost leg decides nothing', "if (results.includes('LOST')) return 0\n", '\n'],
      ['a leg that waits counts as won', "if (results.includes('PENDING')) return null\n", '\n'],
      [
        'a stake stays with its owner',
        'ledger.takeCollateral(profileId, stakeRaw)\n        ledger.takeSystem',
        'ledger.takeSystem',
      ],
      [
        'the house sets nothing aside',
        'ledger.takeSystem(HOUSE_ACCOUNT, payoutRaw - stakeRaw)\n',
        '\n',
      ],
      ['a maker sets nothing aside', 'ledger.takeCollateral(profileId, lockedRaw)\n', '\n'],
      [
        'an offer that ends keeps its money',
        'ledger.creditCollateral(makerId, payoutRaw - stakeMaxRaw)\n',
        '\n',
      ],
      [
        'an accepted offer keeps what it needs not',
        'ledger.creditCollateral(makerId, unusedRaw)\n',
        '\n',
      ],
      ['a pack is settled for ever', 'this.#byId.delete(packId)\n', '\n'],
      [
        'the house wins the packs of makers',
        'if (makerId === null) ledger.creditSystem(HOUSE_ACCOUNT',
        'if (makerId !== 0) ledger.creditSystem(HOUSE_ACCOUNT',
      ],
      [
        'a snapshot forgets what is due',
        "if (catalogue.existing(marketId).status === 'RESOLVED') this.due.add(marketId)",
        '',
      ],
      [
        'no market is due',
        'if (this.hasLegOf(marketId)) this.due.add(marketId)',
        'if (false) this.due.add(marketId)',
      ],
    ],
  },
  {
    file: 'engine/core/packs/house-risk.ts',
    tests: ['test/engine/core/packs/house-risk.test.ts', 'test/engine/core/packs/packs.test.ts'],
    changes: [
      ['the house covers nothing', 'if (riskRaw > freeRaw) return false\n', '\n'],
      [
        'an owner wins any part',
        'if (ofOwnerRaw + riskRaw > Math.floor(hasRaw / housePartOfOwner)) return false\n',
        '\n',
      ],
      ['an outcome costs any part', '+ riskRaw <= outcomeMaxRaw', '<= outcomeMaxRaw'],
      ['what ended stays a risk', 'pack.stakeRaw - pack.payoutRaw', '0'],
      ['what is set aside is not had', 'freeRaw + this.#totalRaw', 'freeRaw'],
    ],
  },
  {
    file: 'engine/core/decide/money/pack-price.ts',
    tests: LIFE,
    changes: [
      ['nobody needs the stake', 'ledger.freeRaw(ownerId) < stakeRaw', 'false'],
      [
        'a delayed market takes packs',
        "kindOf(market) === 'clob' && (market.takerDelayMs ?? 0) === 0",
        "kindOf(market) === 'clob'",
      ],
      ['a leg closes with its market', 'nowMs + request.closeMs', 'nowMs'],
      [
        'a book of one side has a price',
        'if (!isOffer && rested.bids.length === 0) return []\n',
        '\n',
      ],
      ['any bids are enough', '(isOffer || holdsNear(rested.bids, bookTicks, needRaw))', 'true'],
    ],
  },
  {
    file: 'engine/core/decide/money/packs.ts',
    tests: LIFE,
    changes: [
      [
        'an offer is accepted to the end',
        'isActive(market, nowMs + closeMs)',
        'isActive(market, nowMs)',
      ],
      [
        'a part of an offer wins nothing',
        'if (paysRaw <= stakeRaw) return REJECT.STAKE_TOO_LOW\n',
        '\n',
      ],
      [
        'a quote pays what it likes',
        'if (paysRaw < payoutRaw) return REJECT.QUOTE_CHANGED\n',
        '\n',
      ],
      [
        'a profile makes any number',
        'packs.owners.boundOf(SHARED_TABLES.packs, profileId) !== null',
        'false',
      ],
      ['an offer never ends', ' || offer.expiresMs <= nowMs', ''],
      [
        'a maker bets with itself',
        'if (offer.makerId === profileId) return REJECT.OWN_OFFER\n',
        '\n',
      ],
      [
        'a frozen maker still bets',
        'if (frozen.isFrozen(offer.makerId)) return REJECT.OFFER_NOT_FOUND\n',
        '\n',
      ],
      ['a quote is judged by the price of now', 'payoutRaw <= paysRaw &&', 'false &&'],
      ['anybody takes an offer back', ' || offer.makerId !== makerId', ''],
      [
        'a stake is more than was offered',
        'if (stakeRaw > offer.stakeMaxRaw) return REJECT.STAKE_TOO_HIGH\n',
        '\n',
      ],
    ],
  },
  {
    file: 'engine/core/decide/money/packs.ts',
    tests: ['test/engine/core/packs/pack-gates.test.ts'],
    changes: [['a quote makes many packs', 'if (quoted.isUsed) return REJECT.QUOTE_USED\n', '\n']],
  },
  {
    file: 'engine/core/decide/money/pack-price.ts',
    tests: ['test/engine/core/packs/house-risk.test.ts'],
    changes: [
      [
        'a day costs any part',
        'if (lossRaw > houseDay.boundRaw(day, freeRaw + houseRisk.totalRaw)) return false\n',
        '\n',
      ],
    ],
  },
  {
    file: 'engine/core/decide/money/curated-packs.ts',
    tests: CURATED,
    changes: [
      [
        'a purchase has no deadline',
        'if (deadlineMs <= nowMs) return REJECT.INTENT_EXPIRED\n',
        '\n',
      ],
      [
        'a purchase pays less than its least payout',
        'if (payoutRaw < payoutMinRaw) return REJECT.PRICE_DRIFTED\n',
        '\n',
      ],
      [
        'a pack that cannot be made is bought',
        'if (issues.length > 0) return REJECT.PACK_NOT_ELIGIBLE\n  if (payoutRaw',
        'if (payoutRaw',
      ],
      [
        'a pack off the list is bought',
        'if (clearing.packs.curated.byId(curatedId) === undefined) return REJECT.PACK_NOT_FOUND\n',
        '\n',
      ],
      ['the list has no end', 'curated.count < PACK_LIMITS.curatedMax', 'true'],
      [
        'two packs have one name',
        'if (curated.hasName(name)) return REJECT.CURATED_NAME_TAKEN\n',
        '\n',
      ],
    ],
  },
  {
    file: 'engine/core/packs/curated-packs.ts',
    tests: CURATED,
    changes: [
      [
        'a pack stays on the list when a market of it ends',
        'if (!legs.some((leg) => leg.marketId === marketId)) continue\n',
        'continue\n',
      ],
    ],
  },
  {
    file: 'engine/core/packs/packs.ts',
    tests: CURATED,
    changes: [
      ['a purchase waits for no block', 'if (curatedId !== undefined) blocks.moved(seq)\n', '\n'],
      [
        'the payment of a claim waits for no block',
        'if (pack.curatedId !== undefined && paidRaw > 0) blocks.moved(seq)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'persistence/query/read/packs/curated-packs.ts',
    tests: CURATED_ROUTES,
    changes: [['anybody reads a position', 'found?.owner === owner ? found : null', 'found']],
  },
  {
    file: 'server/api/packs/pack-purchases.ts',
    tests: CURATED_ROUTES,
    changes: [
      ['any transaction is a claim', 'claim.txHash === body.txHash.toLowerCase()', 'true'],
      [
        'a known refusal says that nothing happened',
        'const isKnown = KNOWN.has(refused) || ',
        'const isKnown = ',
      ],
    ],
  },
  {
    file: 'engine/core/decide/money/pack-ties.ts',
    tests: LIFE,
    changes: [
      ['children of a group are apart', 'return [...automatic, ...keys', 'return [...keys'],
      ['slots of one window are apart', 'if (overlap(clearing, a, b)) return true\n', '\n'],
      ['a series has no symbol', ', ofSeries?.symbol]', ']'],
      ['a key of a group ties nothing', 'group?.correlationKey, ', ''],
      ['no key ties markets', 'const keys = [correlationKey, ', 'const keys = ['],
    ],
  },
  {
    file: 'engine/core/packs/house-day.ts',
    tests: ['test/engine/core/packs/house-day.test.ts'],
    changes: [
      [
        'lost stakes bring nothing',
        'this.#endedRaw += paidRaw - stakeRaw',
        'this.#endedRaw += paidRaw',
      ],
      ['the bound moves with the day', 'hasRaw + this.#endedRaw : hasRaw', 'hasRaw : hasRaw'],
      ['the day never begins', 'if (day > this.#day) this.#begin(day, 0)\n', '\n'],
      ['packs of before count today', ' || day !== this.#day) return', ') return'],
    ],
  },
  {
    file: 'server/api/packs/pack-books.ts',
    tests: ['test/server/api/packs/pack-books.test.ts'],
    changes: [
      ['no order has to rest', 'seq > rested || ', ''],
      [
        'own orders price a leg',
        'sizeRaw === 0 || shareOwnerOf(orders.accountOf(slot)) === owner',
        'sizeRaw === 0',
      ],
      ['an order prices any number of packs', 'Math.max(0, leftRaw - usedRaw)', 'leftRaw'],
      [
        'a used slot stays used',
        'used?.generation === generation ? used.usedRaw : 0',
        'used?.usedRaw ?? 0',
      ],
      ['dust prices a leg', 'if (leftRaw < orderSizeMinRaw) return 0\n', '\n'],
      [
        'a start forgets open packs',
        'if (rested >= this.#firstSeq) this.#takeOffOpen(marketId)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/api/packs/pack-books.ts',
    tests: ['test/server/api/packs/pack-books.test.ts'],
    changes: [
      ['the worst prices come first', 'direction * (ticks[a] - ticks[b])', 'ticks[b] - ticks[a]'],
      ['newer orders come first', '|| seqs[a] - seqs[b]', '|| seqs[b] - seqs[a]'],
      [
        'the first orders are kept, not the best',
        'if (this.#count === ROWS) this.sort()',
        'if (this.#count === ROWS) this.#count--',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/stamp-times.ts',
    tests: ['test/server/exchange/sequencer/stamp-times.test.ts'],
    changes: [
      [
        'a command counts too early',
        '<= atMs) return this.#seqs',
        '<= atMs + STEP_MS) return this.#seqs',
      ],
      ['the last command is unknown', 'if (this.#lastMs <= atMs) return this.#lastSeq\n', '\n'],
    ],
  },
  {
    file: 'server/exchange/jobs/pack-schedule.ts',
    tests: ROUTES,
    changes: [
      ['offers live on', 'if (expiresMs > nowMs || offerIds', 'if (expiresMs > 0 || offerIds'],
      ['an offer ends before its time', 'if (expiresMs > nowMs || offerIds', 'if (offerIds'],
    ],
  },
  {
    file: 'engine/core/decide/endings.ts',
    tests: LIFE,
    changes: [['a market leaves its packs', ' || packs.hasLegOf(market.marketId)', '']],
  },
  {
    file: 'persistence/follower/packs/packs.ts',
    tests: FOLLOWED,
    changes: [
      [
        'NO legs get the result of YES',
        'CASE outcome WHEN 0 THEN ? ELSE ? END',
        'CASE outcome WHEN 1 THEN ? ELSE ? END',
      ],
      [
        'a market counts for all its packs',
        'WHERE pack_id = ? AND market_id = ?`',
        'WHERE pack_id >= ? AND market_id = ?`',
      ],
      ['a lost pack is won', "paidRaw > 0 ? 'WON' : 'LOST'", "paidRaw >= 0 ? 'WON' : 'LOST'"],
      [
        'a pack that ends is still active',
        "this.#addCount.run(ended.owner, PACK_STATUSES.indexOf('ACTIVE'), -1)\n",
        '\n',
      ],
      [
        'accepted offers are no packs',
        "command.kind === 'createPack' || command.kind === 'acceptPackOffer'",
        "command.kind === 'createPack'",
      ],
      ['rows are written again', 'this.#made = []\n    this.#legs', 'this.#legs'],
    ],
  },
]
