import type { CapturedAccounts, Profile } from '../../../engine/core/accounts/accounts.ts'
import type { CapturedState } from '../../../engine/core/capture.ts'
import { bytesToHex } from '../../../engine/core/cells/digest.ts'
import { hashedFieldsOf } from '../../../engine/core/cells/hashed-fields.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import { type OrderTable, STATE } from '../../../engine/core/orders/order-table.ts'
import { bookDigest } from '../../../engine/core/state/state-hash.ts'
import type { Rank } from '../../../engine/domain/command.ts'
import { type ProfileId, type Slot, SYSTEM_ACCOUNTS } from '../../../engine/domain/ids.ts'
import { ORDER_TYPES, SIDE, STP_POLICIES } from '../../../engine/domain/order.ts'
import { DAY_MS, totalOf } from '../../../engine/domain/units.ts'
import { unitsOf } from '../decimals.ts'
import {
  instant,
  type Line,
  line,
  nameOf,
  price,
  recordLine,
  short,
  shown,
  slugOf,
  tokenOf,
  units,
  wordsOf,
} from './state-line.ts'

// The live orders, their queues, and the chain that mines their trades.

function orderTermsOf(orders: OrderTable, slot: Slot): string {
  const expirationSec = orders.expirationSecOf(slot)
  const clientId = orders.clientIdOf(slot)
  const { held } = orders
  const isHeld = orders.stateOf(slot) === STATE.HELD
  return [
    ORDER_TYPES[orders.orderTypeOf(slot)],
    `fee ${orders.feeBpsOf(slot)} bps`,
    `reserves ${units(orders.reservedRawOf(slot))}`,
    ...(expirationSec === 0 ? [] : [`until Unix second ${expirationSec}`]),
    ...(clientId === '' ? [] : [`client id ${JSON.stringify(clientId)}`]),
    ...(isHeld
      ? [`held until ${instant(held.eligibleMsOf(slot))}`, STP_POLICIES[held.stpOf(slot)]]
      : []),
  ].join(', ')
}

function* orderLines(clearing: Clearing): Iterable<Line> {
  const { orders } = clearing
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) === STATE.FREE) continue
    const side = orders.sideOf(slot) === SIDE.BUY ? 'buys' : 'sells'
    const token = tokenOf(clearing, orders.marketOf(slot), orders.outcomeOf(slot))
    const left = `${units(orders.leftRawOf(slot))} of ${units(orders.sizeRawOf(slot))}`
    const what = `${nameOf(orders.accountOf(slot))} ${side} ${token}`
    const output = `${what} at ${price(orders.priceTicksOf(slot))}, open ${left}`
    yield line(`order ${orders.seqOf(slot)}`, `${output}, ${orderTermsOf(orders, slot)}`)
  }
  for (const { id, profileId, orders: slots, ...group } of clearing.orderGroups.capture()) {
    const members = slots.map((slot) => orders.seqOf(slot)).sort((a, b) => a - b)
    yield recordLine(`order group ${id} of ${nameOf(profileId)}`, { ...group, orders: members })
  }
  // No order alone shows which of two orders at one price has priority.
  for (const book of clearing.catalogue.openBooks()) {
    const { marketId } = clearing.catalogue.ofBook(book)
    const digest = short(bytesToHex(bookDigest(book)))
    yield line(`market ${slugOf(clearing, marketId)}, queues of its book`, `digest ${digest}`)
  }
}

function* seenLines({ seen }: Clearing): Iterable<Line> {
  const { count, clientIdCount, folded } = seen
  yield line('orders that came', `${count}, client ids ${clientIdCount}, folded ${folded}`)
}

function* blockLines({ blocks }: Clearing): Iterable<Line> {
  const { height, throughSeq, movedSeq, aside, failed } = blocks.capture()
  yield line('blocks', `height ${height}, to seq ${throughSeq}, newest move seq ${movedSeq}`)
  for (const seq of aside) yield line(`trade ${seq} waits for a later block`)
  for (const seq of failed) yield line(`trade ${seq} failed`)
}

function* transactionLines({ transactions }: Clearing): Iterable<Line> {
  for (const { account, nextNonce, sent } of transactions.capture()) {
    yield line(`sender ${account}`, `next nonce ${nextNonce}`)
    for (const { nonce, trades, markets, attempts } of sent) {
      const hashes = attempts.map(({ txHash }) => txHash).join(' ')
      const what = `trades ${trades.join(' ')}, markets ${markets.join(' ')}`
      yield line(`sender ${account}, nonce ${nonce}`, `${what}, transactions ${hashes}`)
    }
  }
}

function* chainFundLines({ chainFunds }: Clearing): Iterable<Line> {
  const { place, wallets, allowances, short, uncounted, due } = chainFunds.capture()
  if (place === null) return
  const { block, hash, taken } = place
  yield line('chain', `block ${block}, hash ${hash}, moves after it ${taken}`)
  for (const [profileId, address] of wallets) yield line(`wallet of profile ${profileId}`, address)
  for (const { profileId, collateralRaw, ofShares } of allowances) {
    const shares = ofShares ? 'all shares' : 'no shares'
    yield line(`allowance of profile ${profileId}`, `${collateralRaw} raw units, ${shares}`)
  }
  for (const [profileId, seq] of short) {
    yield line(`orders of profile ${profileId}`, `canceled up to seq ${seq}`)
  }
  for (const { seq, owner, kind, amountRaw } of due) {
    yield line(`move ${seq} of profile ${owner} waits for the chain`, `${kind} ${amountRaw}`)
  }
  for (const [key, raw] of uncounted) yield line(`not counted of ${key}`, `${raw} raw units`)
}

// Markets, series, prices, pages, properties, matches, and when trading is restricted. A market and
// a series have a line for each field, so that a diff shows the field that changed.

function* fieldLines(name: string, record: object): Iterable<Line> {
  for (const [field, value] of hashedFieldsOf(record)) {
    yield line(`${name}, ${wordsOf(field)}`, shown(field, value))
  }
}

function* marketLines({ catalogue }: Clearing): Iterable<Line> {
  yield line('markets ever made', String(catalogue.lastId))
  for (const [index, name] of catalogue.categories.capture().entries()) {
    yield line(`category ${index + 1}`, name)
  }
  for (const {
    slug,
    status,
    conditionRaw,
    volume,
    book: _b,
    rowCount: _r,
    ...rest
  } of catalogue.all()) {
    const name = `market ${slug}`
    yield line(name, `${status}, collateral ${units(conditionRaw)}`)
    yield line(`${name}, volume`, unitsOf(totalOf(volume)))
    yield* fieldLines(name, rest)
  }
}

function* seriesLines(clearing: Clearing): Iterable<Line> {
  yield line('series ever made', String(clearing.series.lastId))
  for (const { seriesId, slots, ...rest } of clearing.series.all()) {
    const name = `series ${seriesId}`
    yield* fieldLines(name, rest)
    for (const [startMs, marketId] of slots) {
      yield line(`${name}, slot of ${instant(startMs)}`, slugOf(clearing, marketId))
    }
  }
}

function* oracleLines({ oracle }: Clearing): Iterable<Line> {
  const { newest, boundaries } = oracle.capture()
  for (const [symbol, report] of newest) yield recordLine(`price of ${symbol}`, report)
  for (const { symbol, atMs, ...rest } of boundaries) {
    yield recordLine(`boundary of ${symbol} at ${instant(atMs)}`, rest)
  }
}

function* pageLines({ pages }: Clearing): Iterable<Line> {
  const captured = pages.capture()
  for (const { pageId, ...page } of captured.pages) yield recordLine(`page ${pageId}`, page)
  for (const [path, pageId] of captured.moved) yield line(`path ${path} leads to page`, pageId)
}

function* propertyLines({ properties }: Clearing): Iterable<Line> {
  for (const { keyId, options, ...key } of properties.capture()) {
    yield recordLine(`property ${keyId}`, key)
    for (const { optionId, ...option } of options) {
      yield recordLine(`property ${keyId}, option ${optionId}`, option)
    }
  }
}

function* matchLines({ matches }: Clearing): Iterable<Line> {
  for (const { slug, home, away, markets, score, ...match } of matches.all()) {
    const name = `match ${slug}`
    yield recordLine(name, match)
    yield recordLine(`${name}, home`, home)
    yield recordLine(`${name}, away`, away)
    for (const { marketId, ...market } of markets) {
      yield recordLine(`${name}, market ${marketId}`, market)
    }
    if (score !== null) yield recordLine(`${name}, score`, score)
  }
}

function* modeLines({ modes }: Clearing): Iterable<Line> {
  const { lastWindowId, windows } = modes.capture()
  yield line('trading windows ever put', String(lastWindowId))
  for (const { windowId, ...window } of windows) {
    yield recordLine(`trading window ${windowId}`, window)
  }
}

// What accounts hold, what reversals took, and what pools, rewards and packs are owed.

function* balanceLines(clearing: Clearing): Iterable<Line> {
  const { accounts, ledger } = clearing
  yield line('deposits less withdrawals', units(ledger.fundedRaw))
  for (const [index, account] of SYSTEM_ACCOUNTS.entries()) {
    yield line(nameOf(account), `free ${units(ledger.systemRaw[index])}, in orders ${units(0)}`)
  }
  for (let account = 1; account <= accounts.count; account++) {
    const free = units(ledger.freeRaw(account))
    yield line(nameOf(account), `free ${free}, in orders ${units(ledger.reservedRaw(account))}`)
  }
  for (let row = 1; row < ledger.rows.end; row++) {
    if (!ledger.rows.isLive(row)) continue
    const owner = nameOf(ledger.rows.accountOf(row))
    for (const outcome of [0, 1]) {
      const free = ledger.sharesFreeRaw[row * 2 + outcome]
      const reserved = ledger.sharesReservedRaw[row * 2 + outcome]
      if (free === 0 && reserved === 0) continue
      const token = tokenOf(clearing, ledger.rows.marketOf(row), outcome)
      yield line(`${owner}, ${token}`, `free ${units(free)}, in orders ${units(reserved)}`)
    }
  }
}

function* reversalLines(clearing: Clearing): Iterable<Line> {
  const { collateral, shares } = clearing.reversals.capture()
  for (const [account, takenRaw] of collateral) {
    yield line(`taken back of ${nameOf(account)}`, units(takenRaw))
  }
  for (const [marketId, account, outcome, takenRaw] of shares) {
    const token = tokenOf(clearing, marketId, outcome)
    yield line(`taken back of ${nameOf(account)}, ${token}`, units(takenRaw))
  }
}

function* unminedLines(clearing: Clearing): Iterable<Line> {
  for (const [tradeSeq, profileId, raw] of clearing.unmined.capture()) {
    yield line(`held back of ${nameOf(profileId)} until trade ${tradeSeq} is mined`, units(raw))
  }
}

function* poolLines(clearing: Clearing): Iterable<Line> {
  const { pools, inFlight } = clearing.pools.capture()
  for (const { marketId, sharedFeesRaw, providers, approvals } of pools) {
    const pool = `pool ${slugOf(clearing, marketId)}`
    yield line(pool, `fees of all providers ${units(sharedFeesRaw)}`)
    for (const [profileId, liquidityRaw, owedRaw] of providers) {
      const output = `provides ${units(liquidityRaw)}, earlier fees ${units(owedRaw)}`
      yield line(`${pool}, ${nameOf(profileId)}`, output)
    }
    for (const [profileId, buy, sell] of approvals) {
      yield line(`${pool}, approvals of ${nameOf(profileId)}`, `BUY seq ${buy}, SELL seq ${sell}`)
    }
  }
  for (const [marketId, profileId, seq] of inFlight) {
    const pool = `pool ${slugOf(clearing, marketId)}`
    yield line(`${pool}, trade of ${nameOf(profileId)} that waits for a block`, `seq ${seq}`)
  }
}

function* rewardLines(clearing: Clearing): Iterable<Line> {
  const { open, today, due, shareParts, ...counted } = clearing.rewards.capture()
  const { minute, height, countedSeq, day, paidDay, referralBps = 0 } = counted
  const blocks = `blocks to ${height}, trades to seq ${countedSeq}`
  const days = `day ${day}, paid to day ${paidDay}`
  yield line('rewards', `minute ${minute}, ${blocks}, ${days}, referrals ${referralBps} bps`)
  if (open !== null) {
    const { afterHeight, parts } = open
    const of = `blocks ${afterHeight} to ${open.height}, referrals ${open.referralBps ?? 0} bps`
    yield line('sample of rewards', `minute ${open.minute}, ${of}, ${parts} parts credited`)
  }
  for (const [when, earned] of [
    ['today', today],
    ['before', due],
  ] as const) {
    for (const [account, rewardRaw, rebateRaw] of earned) {
      const output = `rewards ${units(rewardRaw)}, rebates ${units(rebateRaw)}`
      yield line(`earned ${when} by ${nameOf(account)}`, output)
    }
  }
  for (const [marketId, account, yesRaw, noRaw] of shareParts) {
    const waits = `part of fees of ${slugOf(clearing, marketId)} for ${nameOf(account)}`
    yield line(waits, `YES ${units(yesRaw)}, NO ${units(noRaw)}`)
  }
}

function* packLines(clearing: Clearing): Iterable<Line> {
  const { packs, offers, houseDay, curated } = clearing.packs.capture()
  if (houseDay.day !== 0) {
    const day = new Date(houseDay.day * DAY_MS).toISOString().slice(0, 10)
    yield line('packs of the newest day', `${day}, ended ones cost ${units(houseDay.endedRaw)}`)
  }
  if (houseDay.maxRaw !== null) {
    yield line('packs of a day cost at most', units(houseDay.maxRaw))
  }
  const legOf = ({ marketId, outcome }: (typeof offers)[number]['legs'][number]) =>
    tokenOf(clearing, marketId, outcome)
  for (const { packId, ownerId, makerId, stakeRaw, payoutRaw, legs, results } of packs) {
    const sums = `stake ${units(stakeRaw)}, payout ${units(payoutRaw)}`
    const payer = makerId === null ? 'the house' : nameOf(makerId)
    yield line(`pack ${packId}`, `${nameOf(ownerId)} against ${payer}, ${sums}`)
    for (const [at, leg] of legs.entries()) {
      const output = `${legOf(leg)} at ${leg.priceTicks} ticks, ${results[at]}`
      yield line(`pack ${packId}, leg ${at + 1}`, output)
    }
  }
  for (const { packId, name, legs } of curated) {
    const tokens = legs.map(({ marketId, outcome }) => tokenOf(clearing, marketId, outcome))
    yield line(`pack of the list ${packId}`, `${JSON.stringify(name)}: ${tokens.join(', ')}`)
  }
  for (const { offerId, makerId, stakeMaxRaw, payoutRaw, expiresMs, legs } of offers) {
    const sums = `stake to ${units(stakeMaxRaw)}, payout ${units(payoutRaw)}`
    const until = new Date(expiresMs).toISOString()
    yield line(`pack offer ${offerId}`, `${nameOf(makerId)}, ${sums}, until ${until}`)
    for (const [at, leg] of legs.entries()) {
      yield line(`pack offer ${offerId}, leg ${at + 1}`, `${legOf(leg)} at ${leg.priceTicks} ticks`)
    }
  }
}

// Profiles and what is theirs, partners, operators, and calls that are made once. Digests are shown
// in part; sealed keys and secrets not at all.

function rankOf({ id, name, feeRateBps }: Rank): string {
  return `${JSON.stringify(id)} ${JSON.stringify(name)} at ${feeRateBps} bps`
}

function profileTermsOf({ account, smartWallet, rank, feeCapBps, scopes }: Profile): string {
  return [
    account,
    ...(smartWallet === null ? [] : [`smart wallet ${smartWallet}`]),
    ...(rank === null ? [] : [`rank ${rankOf(rank)}`]),
    ...(feeCapBps === null ? [] : [`fee cap ${feeCapBps} bps`]),
    ...(scopes.length === 0 ? [] : [`scopes ${scopes.join(' ')}`]),
  ].join(', ')
}

function* profileLines({ accounts }: Clearing): Iterable<Line> {
  const { textDigest, ranks } = accounts.captureProfiles()
  yield line('texts of profiles', `digest ${short(textDigest)}`)
  for (const [index, rank] of ranks.entries()) yield recordLine(`rank ${index + 1}`, rank)
  for (let profileId = 1; profileId <= accounts.count; profileId++) {
    const profile = accounts.byId(profileId)
    if (profile !== undefined) yield line(`${nameOf(profileId)}, account`, profileTermsOf(profile))
  }
}

function* accountLines({ accounts }: Clearing): Iterable<Line> {
  yield line('admin token', `digest ${short(accounts.adminTokenDigest)}`)
  const { tokens, burnedNonces, partners, withdrawalAddresses } = accounts.capture()
  for (const { tokenId, sealedSecret: _sealed, ...token } of tokens) {
    yield recordLine(`token ${tokenId}`, token)
  }
  for (const { digest, profileId, expiresMs } of accounts.sessions()) {
    const until = `until ${instant(expiresMs)}`
    yield line(`session ${short(digest)}`, `${nameOf(profileId)}, ${until}`)
  }
  for (const [nonce, expiresMs] of burnedNonces) {
    yield line(`used nonce ${nonce}`, `until ${instant(expiresMs)}`)
  }
  yield* partnerLines(partners)
  for (const { profileId, address, ...listed } of withdrawalAddresses) {
    yield recordLine(`withdrawal address ${address} of ${nameOf(profileId)}`, listed)
  }
}

function* partnerLines({
  subAccounts,
  submittedSeqs,
}: CapturedAccounts['partners']): Iterable<Line> {
  for (const { profileId, sealedKey, ...made } of subAccounts) {
    const wallet = sealedKey === null ? 'own' : 'of the server'
    yield recordLine(`sub-account ${nameOf(profileId)}`, { ...made, wallet })
  }
  for (const [profileId, seq] of submittedSeqs) {
    yield line(`approvals of ${nameOf(profileId)} wait for a block`, `seq ${seq}`)
  }
}

function* callLines({ calls }: Clearing): Iterable<Line> {
  for (const { by, digest, bodyDigest, untilMs, profileId, seq } of calls.capture()) {
    const output = `${nameOf(profileId)}, seq ${seq}, body ${short(bodyDigest)}`
    yield line(`${by} call ${short(digest)}`, `${output}, until ${instant(untilMs)}`)
  }
}

function* heartbeatLines({ heartbeats }: Clearing): Iterable<Line> {
  for (const { profileId, ...armed } of heartbeats.capture()) {
    yield recordLine(`heartbeat of ${nameOf(profileId)}`, armed)
  }
}

function* frozenLines({ frozen }: Clearing): Iterable<Line> {
  for (const { profileId, ...freeze } of frozen.capture()) {
    yield recordLine(`${nameOf(profileId)} is frozen`, freeze)
  }
}

function* operatorLines({ operators }: Clearing): Iterable<Line> {
  for (const { name, tokenDigest, ...operator } of operators.capture()) {
    yield recordLine(`operator ${name}`, { ...operator, digest: short(tokenDigest) })
  }
}

/** The lists of a column: id, count, and as many entries of `width` numbers. */
function* listsOf(column: Uint32Array | Float64Array, width: number) {
  for (let at = 0; at < column.length; ) {
    const [id, count] = [column[at], column[at + 1]]
    const end = at + 2 + count * width
    for (let from = at + 2; from < end; from += width) {
      const owner: ProfileId = id
      yield { owner, fields: column.subarray(from, from + width) }
    }
    at = end
  }
}

function* socialLines(clearing: Clearing): Iterable<Line> {
  const { follows, bookmarks } = clearing.social.capture()
  for (const { owner, fields } of listsOf(follows, 1)) {
    yield line(`${nameOf(owner)} follows ${nameOf(fields[0])}`)
  }
  for (const { owner, fields } of listsOf(bookmarks.lists, 4)) {
    const [marketId, kind, seq, putMs] = fields
    const output = `kind ${kind}, seq ${seq}, put ${instant(putMs)}`
    yield line(`${nameOf(owner)} remembers ${slugOf(clearing, marketId)}`, output)
  }
  for (const profileId of bookmarks.shown) yield line(`${nameOf(profileId)} shows its bookmarks`)
}

// A state as lines of text. Whatever the state hash covers is in some line, but for the seq and the
// time of the last command, which every command changes.

type Part = Exclude<keyof CapturedState, 'settlement'> | keyof CapturedState['settlement']

/** In the order in which they are printed. A part that the state gains does not compile without. */
const LINES: Readonly<Record<Part, (clearing: Clearing) => Iterable<Line>>> = {
  clock: ({ rulesVersion }) => [line('rules', `version ${rulesVersion}`)],
  ledger: balanceLines,
  profiles: profileLines,
  accounts: accountLines,
  operators: operatorLines,
  frozen: frozenLines,
  heartbeats: heartbeatLines,
  calls: callLines,
  social: socialLines,
  catalogue: marketLines,
  series: seriesLines,
  oracle: oracleLines,
  pages: pageLines,
  properties: propertyLines,
  matches: matchLines,
  modes: modeLines,
  pools: poolLines,
  rewards: rewardLines,
  packs: packLines,
  blocks: blockLines,
  transactions: transactionLines,
  chainFunds: chainFundLines,
  reversals: reversalLines,
  unmined: unminedLines,
  seen: seenLines,
  orders: orderLines,
}

/** Reads the state as it goes: nothing may change it meanwhile. */
export function* stateLines(clearing: Clearing): Iterable<Line> {
  for (const linesOf of Object.values(LINES)) yield* linesOf(clearing)
}
