import type { Clearing } from '../../../../engine/core/clearing.ts'
import { SYSTEM_ACCOUNTS } from '../../../../engine/domain/ids.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { type Line, line, units } from './state-line.ts'
import { nameOf, slugOf, tokenOf } from './thing-name.ts'

// What accounts hold, what reversals took, and what pools, rewards and packs are owed.

export function* balanceLines(clearing: Clearing): Iterable<Line> {
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

export function* reversalLines(clearing: Clearing): Iterable<Line> {
  const { collateral, shares } = clearing.reversals.capture()
  for (const [account, takenRaw] of collateral) {
    yield line(`taken back of ${nameOf(account)}`, units(takenRaw))
  }
  for (const [marketId, account, outcome, takenRaw] of shares) {
    const token = tokenOf(clearing, marketId, outcome)
    yield line(`taken back of ${nameOf(account)}, ${token}`, units(takenRaw))
  }
}

export function* unminedLines(clearing: Clearing): Iterable<Line> {
  for (const [tradeSeq, profileId, raw] of clearing.unmined.capture()) {
    yield line(`held back of ${nameOf(profileId)} until trade ${tradeSeq} is mined`, units(raw))
  }
}

export function* poolLines(clearing: Clearing): Iterable<Line> {
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

export function* rewardLines(clearing: Clearing): Iterable<Line> {
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

export function* packLines(clearing: Clearing): Iterable<Line> {
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
