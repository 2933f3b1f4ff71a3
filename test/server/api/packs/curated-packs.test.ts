import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { ownWallet, PARTNER_RIGHTS, serverWallet, tokenOf } from '../../../support/live-partners.ts'
import { marketsForPacks } from '../../../support/pack-markets.ts'
import { accepted, assertRefused, codeOf, listAt, type Reply } from '../../../support/replies.ts'

// Packs that operators curate, and what partners and others buy of them (rules §8.6).

const UNIT = 1_000_000
const STAKE = '10000000'
const PAYOUT = '45000000'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/
const BUY = '/parlay/partner/buy'
const POSITIONS = '/parlay/partner/positions'
const { live, maker, ann, partner } = await exchange({
  flags: ['--block-ms', '1', '--pack-rest', '0'],
  traders: {
    maker: 1_000_000 * UNIT,
    ann: 10_000 * UNIT,
    partner: { collateralRaw: 10_000 * UNIT, apiToken: { scopes: PARTNER_RIGHTS } },
  },
})
let markets: LiveMarket[]
let count = 0

const child = await serverWallet(live, partner, 1000 * UNIT)
await accepted(live.admin('/admin/house', { collateralRaw: 100_000 * UNIT }))

/** Two fresh markets whose YES is for sale at 0.5 and at 0.4, and wanted a cent below. */
async function fresh(): Promise<void> {
  count++
  markets = await marketsForPacks(live, maker, [`rain-${count}`, `wind-${count}`])
}

const legs = () => markets.map(({ slug: marketSlug }) => ({ marketSlug, outcomeIndex: 0 }))
const get = (path: string) => live.read(path)

/** A pack of two fresh markets, on the list. */
async function curated(name?: string): Promise<string> {
  await fresh()
  const made = await live.operator('POST', '/admin/packs', {
    name: name ?? `Wet ${count}`,
    legs: legs(),
  })
  assert.equal(made.status, 201, made.text)
  return textAt(made.body, 'id')
}

const secondsAhead = (seconds: number) => String(Math.floor(live.nowMs() / 1000) + seconds)

function purchase(packId: string, changes: object = {}) {
  const idempotencyKey = `buy-${packId}-${count}`
  const terms = { stakeAmount: STAKE, minPayoutAmount: PAYOUT, deadline: secondsAhead(120) }
  return { packId, ...terms, idempotencyKey, ...changes }
}

const buy = (by: Trader, body: object) => live.call(by, 'POST', BUY, body)
const forChild = (packId: string, changes: object = {}) =>
  purchase(packId, { onBehalfOf: child.profileId, ...changes })
const asChild = (path: string) =>
  live.call(partner, 'GET', path, undefined, {
    headers: { 'x-on-behalf-of': String(child.profileId) },
  })

async function resolve(market: LiveMarket, payoutNumerators: number[]): Promise<void> {
  await accepted(live.admin(`/admin/markets/${market.slug}/resolve`, { payoutNumerators }))
}

async function freeOf(by: Trader, profileId = by.profileId): Promise<number> {
  const isOwn = profileId === by.profileId
  const more = isOwn ? {} : { headers: { 'x-on-behalf-of': String(profileId) } }
  const { body } = await live.call(by, 'GET', '/portfolio/balance', undefined, more)
  return Number(at(body, 'free'))
}

/** The position of the child once it has the status. */
async function reaches(id: string, status: string): Promise<Reply> {
  for (;;) {
    const reply = await accepted(asChild(`${POSITIONS}/${id}`))
    if (at(reply.body, 'status') === status) return reply
  }
}

const idsOf = (reply: Reply) => listAt(reply).map((each) => at(each, 'id'))

test('GET /parlay/packs lists curated packs; what was bought lies elsewhere', async () => {
  const id = await curated('A wet weekend')
  assert.match(id, UUID)
  const reply = await get('/parlay/packs')
  const [pack] = listAt(reply)
  assert.deepEqual(
    ['id', 'name', 'status', 'eligible', 'parlayType'].map((name) => at(pack, name)),
    [id, 'A wet weekend', 'ACTIVE', true, 'curated'],
  )
  const shown = ['legIndex', 'marketSlug', 'outcome', 'bookPrice', 'price', 'esportsPropType']
  assert.deepEqual(
    shown.map((name) => at(pack, 'legs', 1, name)),
    [1, markets[1].slug, 'Yes', 0.4, 0.4, null],
  )
  assert.match(String(at(pack, 'legs', 1, 'conditionId')), /^0x[0-9a-f]{64}$/)
  assert.equal(Number.isInteger(at(pack, 'legs', 1, 'marketId')), true)
  assert.deepEqual((await get(`/parlay/packs/${id}`)).body, pack)
  assert.deepEqual((await get(`/parlay/packs/${id.toUpperCase()}`)).body, pack)
  const bought = await get('/parlay/positions')
  assert.deepEqual(listAt(bought, 'data'), [])
})

test('a search finds packs by the words of their names and markets', async () => {
  const id = await curated('Storm of the century')
  const found = async (words: string) =>
    idsOf(await get(`/parlay/packs/search?query=${encodeURIComponent(words)}`))
  assert.deepEqual(await found('CENTURY storm'), [id])
  assert.deepEqual(await found(`storm rain-${count}`), [id])
  assert.deepEqual(await found('storm of snow'), [])
  assert.equal((await get('/parlay/packs/search')).status, 400)
})

test('a quote prices a pack of the list for a stake', async () => {
  const packId = await curated()
  const quoted = await live.call(partner, 'POST', '/parlay/partner/quote', {
    packId,
    stakeAmount: STAKE,
  })
  assert.equal(quoted.status, 200, quoted.text)
  const names = ['eligible', 'rawMultiplier', 'multiplier', 'potentialPayout', 'collateralRequired']
  assert.deepEqual(
    names.map((name) => at(quoted.body, name)),
    [true, 5, 4.5, PAYOUT, PAYOUT],
  )
  assert.deepEqual(at(quoted.body, 'ineligibleReasons'), [])
  assert.deepEqual([at(quoted.body, 'legs', 0, 'price'), at(quoted.body, 'vigPercent')], [0.5, 10])
  const own = await live.call(ann, 'POST', '/parlay/partner/quote', {
    packId,
    stakeAmount: '71000000',
  })
  assert.equal(at(own.body, 'eligible'), false)
  assert.match(String(at(own.body, 'ineligibleReasons', 0)), /^STAKE_TOO_HIGH: /)
})

test('a partner buys and claims for a sub-account, which is paid once', async () => {
  const packId = await curated()
  const before = await freeOf(partner, child.profileId)
  const own = await freeOf(partner)
  const made = await accepted(buy(partner, forChild(packId)), 201)
  const position = at(made.body, 'position')
  assert.equal(at(made.body, 'status'), at(position, 'status'))
  assert.deepEqual(
    ['stakeAmount', 'collateralDeposited', 'multiplierOffered', 'vigPercent', 'wallet'].map(
      (name) => at(position, name),
    ),
    [STAKE, PAYOUT, '4.500000', '10', child.account],
  )
  assert.deepEqual(at(position, 'sourcePack'), { id: packId, name: `Wet ${count}` })
  const id = textAt(position, 'id')
  assert.match(id, UUID)
  const active = await reaches(id, 'ACTIVE')
  assert.equal(at(active.body, 'txHash'), at(position, 'txHash'))
  assert.equal(at(active.body, 'claimTxHash'), null)
  assert.equal((await freeOf(partner, child.profileId)) - before, -10 * UNIT)
  assert.equal(await freeOf(partner), own, 'the partner pays nothing')
  const claim = (path = 'claim', more: object = {}) =>
    live.call(partner, 'POST', `${POSITIONS}/${id}/${path}`, {
      onBehalfOf: child.profileId,
      ...more,
    })
  const early = await claim()
  assertRefused(early, 409, 'PACK_NOT_WON')
  await resolve(markets[0], [1, 0])
  await resolve(markets[1], [1, 0])
  const won = await reaches(id, 'WON')
  const hash = textAt(won.body, 'claimTxHash')
  assert.deepEqual(
    [at(won.body, 'payoutAmount'), at(won.body, 'legs', 0, 'resolutionStatus')],
    [PAYOUT, 'WON'],
  )
  assert.notEqual(at(won.body, 'legs', 0, 'resolvedAt'), null)
  const claimed = async () => {
    for (;;) {
      const reply = await accepted(claim())
      if (at(reply.body, 'status') === 'CLAIMED') return reply
      assert.equal(at(reply.body, 'status'), 'CLAIM_PENDING')
    }
  }
  const first = await claimed()
  assert.deepEqual([at(first.body, 'parlayId'), at(first.body, 'txHash')], [id, hash])
  assert.deepEqual((await claimed()).body, first.body)
  const confirmed = await claim('claim/confirm', { txHash: hash.toUpperCase().replace('X', 'x') })
  assert.deepEqual(confirmed.body, first.body)
  const wrong = await claim('claim/confirm', { txHash: `0x${'0'.repeat(64)}` })
  assertRefused(wrong, 400, 'VALIDATION')
  assert.equal((await freeOf(partner, child.profileId)) - before, 35 * UNIT, 'paid once')
})

test('the same purchase again gives the first pack, whatever happened since', async () => {
  const packId = await curated()
  const body = forChild(packId)
  const before = await freeOf(partner, child.profileId)
  const made = await accepted(buy(partner, body), 201)
  const id = at(made.body, 'position', 'id')
  const together = await Promise.all([1, 2, 3].map(() => buy(partner, body)))
  for (const each of together) assert.equal(at(each.body, 'position', 'id'), id, each.text)
  // After its deadline, and after the pack left the list.
  live.shiftClock(180_000)
  assert.equal((await live.operator('DELETE', `/admin/packs/${packId}`)).status, 200)
  const late = await buy(partner, body)
  assert.deepEqual([late.status, at(late.body, 'position', 'id')], [201, id], late.text)
  assert.equal((await freeOf(partner, child.profileId)) - before, -10 * UNIT)
  const other = await buy(partner, { ...body, stakeAmount: '20000000' })
  assert.equal(codeOf(other), 'IDEMPOTENCY_KEY_TAKEN')
  assert.equal(at(other.body, 'submissionState'), undefined, 'a purchase of this key was made')
  const forMyself = await buy(partner, { ...body, onBehalfOf: undefined })
  assert.equal(codeOf(forMyself), 'IDEMPOTENCY_KEY_TAKEN', 'the owner is a part of the purchase')
})

test('a refused purchase says that nothing happened, or why the client knows it', async () => {
  const packId = await curated()
  const before = await freeOf(partner, child.profileId)
  const refused = async (changes: object) => {
    const reply = await buy(partner, forChild(packId, changes))
    const [code, state] = [codeOf(reply), at(reply.body, 'submissionState') ?? null]
    return [reply.status, code, state, reply] as const
  }
  const [late] = [await refused({ deadline: secondsAhead(-1) })]
  assert.deepEqual(late.slice(0, 3), [401, 'INTENT_EXPIRED', null])
  assert.equal(at(late[3].body, 'message'), 'Intent expired — please retry')
  const drifted = await refused({ minPayoutAmount: '45000001' })
  assert.deepEqual(drifted.slice(0, 3), [409, 'PRICE_DRIFTED', null])
  assert.equal(at(drifted[3].body, 'payoutAmount'), PAYOUT)
  const huge = await refused({ minPayoutAmount: '99999999999999999999' })
  assert.equal(huge[1], 'PRICE_DRIFTED')
  const rich = await refused({ stakeAmount: '99999999999999999999' })
  assert.deepEqual(rich.slice(0, 3), [422, 'PACK_NOT_ELIGIBLE', 'NOT_SUBMITTED'])
  assert.equal(at(rich[3].body, 'ineligibleReasons', 0, 'code'), 'STAKE_TOO_HIGH')
  const far = await refused({ deadline: secondsAhead(13 * 3600) })
  assert.deepEqual(far.slice(0, 3), [400, 'VALIDATION', 'NOT_SUBMITTED'])
  const unknown = await refused({ packId: '63757261-0000-8000-8000-000000000001' })
  assert.deepEqual(unknown.slice(0, 3), [404, 'PACK_NOT_FOUND', 'NOT_SUBMITTED'])
  for (const wrong of [
    { deadline: '1767225720000' },
    { stakeAmount: '0' },
    { idempotencyKey: 'a b' },
    { packId: '7' },
  ]) {
    const [status, code, state] = await refused(wrong)
    assert.deepEqual([status, code, state], [400, 'VALIDATION', 'NOT_SUBMITTED'])
  }
  // A body of no form was never a purchase; a call without a proof may repeat one that was made.
  const text = JSON.stringify(forChild(packId))
  const cut = await live.call(partner, 'POST', BUY, text.slice(0, -1))
  assert.deepEqual(
    [codeOf(cut), at(cut.body, 'submissionState')],
    ['BODY_MALFORMED', 'NOT_SUBMITTED'],
  )
  const unproven = await live.call(partner, 'POST', BUY, text, { signedBody: '' })
  assert.deepEqual(
    [codeOf(unproven), at(unproven.body, 'submissionState')],
    ['HMAC_INVALID', undefined],
  )
  assert.equal(await freeOf(partner, child.profileId), before)
  // None of them took the key.
  assert.equal((await buy(partner, forChild(packId))).status, 201)
})

test('only the partner of a server wallet buys and reads for it', async () => {
  const packId = await curated()
  const other = await live.trader(UNIT, { apiToken: { scopes: PARTNER_RIGHTS } })
  const trading = await tokenOf(live, partner, ['trading'])
  const body = forChild(packId)
  assert.equal(codeOf(await buy(other, body)), 'NOT_SUB_ACCOUNT')
  assert.equal(codeOf(await buy(trading, body)), 'SCOPE_MISSING')
  const signs = await ownWallet(live, partner, 100 * UNIT)
  const forOwn = purchase(packId, { onBehalfOf: signs.profileId })
  assert.equal(codeOf(await buy(partner, forOwn)), 'NO_SERVER_WALLET')
  const nobody = await live.send('POST', BUY, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(nobody.status, 401)
  const made = await buy(partner, body)
  const id = textAt(made.body, 'position', 'id')
  const path = `${POSITIONS}/${id}`
  assert.equal(codeOf(await live.call(ann, 'GET', path)), 'PACK_NOT_FOUND')
  assert.equal(codeOf(await live.call(partner, 'GET', path)), 'PACK_NOT_FOUND', 'of the child')
  assert.equal(codeOf(await live.call(ann, 'POST', `${path}/claim`, {})), 'PACK_NOT_FOUND')
  const guessed = await live.call(ann, 'GET', `${POSITIONS}/${packId}`)
  assert.equal(codeOf(guessed), 'PACK_NOT_FOUND', 'an id of another kind')
  assert.equal((await asChild(path)).status, 200)
})

test('everybody buys for itself; positions come newest first, by page', async () => {
  const bought: string[] = []
  for (let times = 0; times < 3; times++) {
    const made = await accepted(buy(ann, purchase(await curated())), 201)
    bought.unshift(textAt(made.body, 'position', 'id'))
  }
  const page = await live.call(ann, 'GET', `${POSITIONS}?limit=2&offset=1`)
  assert.deepEqual(
    listAt(page, 'data').map((each) => at(each, 'id')),
    bought.slice(1),
    page.text,
  )
  assert.deepEqual(
    ['total', 'limit', 'offset'].map((name) => at(page.body, name)),
    [3, 2, 1],
  )
  for (const query of ['limit=51', 'offset=5001', 'limit=0']) {
    assert.equal((await live.call(ann, 'GET', `${POSITIONS}?${query}`)).status, 400)
  }
  const shown = await get(`/parlay/${ann.account}/positions`)
  assert.deepEqual(
    [at(shown.body, 'totalRows'), at(shown.body, 'data', 0, 'sourcePack', 'name')],
    [3, `Wet ${count}`],
  )
  const mine = await get(`/parlay/positions/${at(shown.body, 'data', 0, 'id')}`)
  assert.equal(at(mine.body, 'funding'), 'house')
})

test('a pack leaves the list when one of its legs ends; what was bought goes on', async () => {
  const packId = await curated()
  const made = await buy(partner, forChild(packId))
  const id = textAt(made.body, 'position', 'id')
  await resolve(markets[0], [0, 1])
  assert.equal(idsOf(await get('/parlay/packs')).includes(packId), false)
  const lost = await reaches(id, 'LOST')
  assert.deepEqual(
    [at(lost.body, 'payoutAmount'), at(lost.body, 'claimTxHash')],
    ['0', null],
    lost.text,
  )
  const past = await get(`/parlay/packs/${packId}`)
  assert.deepEqual(
    [past.status, at(past.body, 'status'), at(past.body, 'eligible')],
    [200, 'ENDED', false],
    past.text,
  )
  assert.equal(listAt(past, 'legs').length, 2)
  const quote = { packId, stakeAmount: STAKE }
  const quoted = await live.call(ann, 'POST', '/parlay/partner/quote', quote)
  assert.equal(codeOf(quoted), 'PACK_NOT_FOUND')
  const claim = await live.call(partner, 'POST', `${POSITIONS}/${id}/claim`, {
    onBehalfOf: child.profileId,
  })
  assert.deepEqual([codeOf(claim), at(claim.body, 'status')], ['PACK_NOT_WON', 'LOST'])
})

test('a pack too close to the deadline of a market is not listed, and not bought', async () => {
  await fresh()
  const deadline = live.nowMs() + 600_000
  const soon = await live.openMarket(`soon-${count}`, { deadline })
  const named = [legs()[0], { marketSlug: soon.slug, outcomeIndex: 1 }]
  const made = await live.operator('POST', '/admin/packs', { name: `Soon ${count}`, legs: named })
  assert.equal(made.status, 201, made.text)
  const packId = textAt(made.body, 'id')
  const unpriced = await get(`/parlay/packs/${packId}`)
  assert.deepEqual(
    [
      at(unpriced.body, 'status'),
      at(unpriced.body, 'eligible'),
      at(unpriced.body, 'legs', 1, 'price'),
    ],
    ['ACTIVE', false, null],
  )
  const requested = { packId, stakeAmount: STAKE }
  const quoted = await live.call(ann, 'POST', '/parlay/partner/quote', requested)
  assert.deepEqual(
    [at(quoted.body, 'eligible'), at(quoted.body, 'potentialPayout')],
    [false, null],
    quoted.text,
  )
  assert.match(String(at(quoted.body, 'ineligibleReasons', 0)), /^NO_LIQUIDITY \(leg 1\): /)
  live.shiftClock(600_000 - 60_000)
  assert.equal(idsOf(await get('/parlay/packs')).includes(packId), false)
  assert.equal(at((await get(`/parlay/packs/${packId}`)).body, 'status'), 'ENDED')
  const list = await live.operator('GET', '/admin/packs')
  const row = listAt(list, 'data').find((each) => at(each, 'id') === packId)
  assert.equal(at(row, 'status'), 'ENDED', 'operators still see it')
  assert.equal(codeOf(await buy(ann, purchase(packId))), 'PACK_NOT_ELIGIBLE')
})

test('operators alone curate; legs, names and places have their rules', async () => {
  const before = listAt(await live.operator('GET', '/admin/packs'), 'data').length
  await fresh()
  const put = (body: object) => live.operator('POST', '/admin/packs', body)
  const [leg] = legs()
  const twice = await put({ name: 'Twice', legs: [leg, leg] })
  assert.equal(at(twice.body, 'ineligibleReasons', 0, 'code'), 'DUPLICATE_MARKET', twice.text)
  const none = await put({ name: 'None', legs: [leg, { marketSlug: 'no-such', outcomeIndex: 0 }] })
  assert.equal(at(none.body, 'ineligibleReasons', 0, 'code'), 'MARKET_NOT_FOUND')
  assert.equal((await put({ name: 'One', legs: [leg] })).status, 400)
  assert.equal((await put({ name: '', legs: legs() })).status, 400)
  assert.equal((await put({ name: 'two\nlines', legs: legs() })).status, 400)
  assert.equal((await live.call(ann, 'POST', '/admin/packs', { name: 'x', legs: [] })).status, 401)
  const made = await accepted(put({ name: `Unique ${count}`, legs: legs() }), 201)
  assert.equal(codeOf(await put({ name: `UNIQUE ${count}`, legs: legs() })), 'CURATED_NAME_TAKEN')
  const id = textAt(made.body, 'id')
  assert.equal((await live.operator('DELETE', `/admin/packs/${id}`)).status, 200)
  assert.equal(codeOf(await live.operator('DELETE', `/admin/packs/${id}`)), 'PACK_NOT_FOUND')
  const audit = await live.operator('GET', '/admin/audit?limit=2')
  const kinds = listAt(audit, 'entries').map((each) => at(each, 'kind'))
  assert.deepEqual(kinds, ['removeCuratedPack', 'curatePack'], audit.text)
  const made64: string[] = []
  while (before + made64.length < PACK_LIMITS.curatedMax) {
    const next = await accepted(put({ name: `Many ${made64.length}`, legs: legs() }), 201)
    made64.push(textAt(next.body, 'id'))
  }
  assert.equal(codeOf(await put({ name: 'One more', legs: legs() })), 'CURATED_LIMIT')
  for (const each of made64) await live.operator('DELETE', `/admin/packs/${each}`)
})

test('a position is PENDING until a block holds it, and so is the payment of a claim', async () => {
  const blockMs = 60_000
  const { live: slow } = await exchange({ flags: ['--block-ms', `${blockMs}`, '--pack-rest', '0'] })
  const buyer = await slow.trader(100 * UNIT)
  const dealer = await slow.trader(100_000 * UNIT)
  await slow.admin('/admin/house', { collateralRaw: 10_000 * UNIT })
  const named: object[] = []
  for (const slug of ['rain', 'wind']) {
    const market = await slow.openMarket(slug)
    const request = { outcome: 1, ticks: 500, sizeRaw: 1000 * UNIT } as const
    await slow.placed(dealer, market, request)
    assert.equal(
      (await slow.place(dealer, market, { ticks: 490, sizeRaw: 1000 * UNIT })).status,
      201,
    )
    named.push({ marketSlug: slug, outcomeIndex: 0 })
  }
  const pack = await slow.admin('/admin/packs', { name: 'Rain', legs: named })
  const terms = { stakeAmount: STAKE, minPayoutAmount: STAKE, idempotencyKey: 'a' }
  const deadline = String(Math.floor(slow.nowMs() / 1000) + 60)
  const body = { packId: at(pack.body, 'id'), ...terms, deadline }
  const made = await slow.call(buyer, 'POST', BUY, body)
  assert.deepEqual([made.status, at(made.body, 'status')], [201, 'PENDING'], made.text)
  const path = `${POSITIONS}/${at(made.body, 'position', 'id')}`
  const reached = async (read: () => Promise<Reply>, status: string) => {
    for (;;) {
      const reply = await read()
      if (at(reply.body, 'status') === status) return reply
    }
  }
  const show = () => slow.call(buyer, 'GET', path)
  const claim = () => slow.call(buyer, 'POST', `${path}/claim`, {})
  slow.shiftClock(blockMs)
  const active = await reached(show, 'ACTIVE')
  assert.equal(at(active.body, 'txHash'), at(made.body, 'position', 'txHash'))
  for (const slug of ['rain', 'wind']) {
    await slow.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
  }
  await reached(show, 'WON')
  const pending = await claim()
  assert.equal(at(pending.body, 'status'), 'CLAIM_PENDING', pending.text)
  slow.shiftClock(blockMs)
  const claimed = await reached(claim, 'CLAIMED')
  assert.equal(at(claimed.body, 'txHash'), at(pending.body, 'txHash'))
})
