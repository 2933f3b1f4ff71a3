import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ZERO_ADDRESS } from '../../../../server/crypto/address.ts'
import { ADMIN, BLOCK_MS, Reported } from '../../../support/chain-desk.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveExchange } from '../../../support/live-exchange.ts'
import { type LiveMarket, unsigned } from '../../../support/live-orders.ts'
import { accepted, assertRefused, type Reply } from '../../../support/replies.ts'

// An approval of a server wallet goes through a block (design §5, rules §12.1): missing, submitted,
// then confirmed or failed. A block comes when the test moves the clock.

const PATH = '/profiles/partner-accounts'
const RIGHTS = ['trading', 'account_creation', 'delegated_signing']
const flags = ['--block-ms', `${BLOCK_MS}`]
const { live } = await exchange({ flags })
let reported = new Reported(live)
const partner = await live.trader(0, { apiToken: { scopes: RIGHTS } })
let venues = 0

interface Wallet {
  readonly profileId: number
  readonly path: string
  readonly venue: LiveMarket
}

/** A server wallet, and a market of an exchange that is newer than the wallet. */
async function lateVenue(on: LiveExchange = live): Promise<Wallet> {
  const made = await accepted(on.call(partner, 'POST', PATH, { createServerWallet: true }), 201)
  const profileId = Number(at(made.body, 'profileId'))
  const exchangeAddress = `0x${(++venues).toString(16).padStart(40, 'e')}`
  const venue = await on.openMarket(`venue-${venues}`, { exchangeAddress })
  return { profileId, path: `${PATH}/${profileId}/allowances`, venue }
}

/** The statuses of the two approvals for the newer exchange. */
function newest(reply: Reply): unknown[] {
  assert.equal(reply.status, 200, reply.text)
  const targets = at(reply.body, 'targets')
  assert(Array.isArray(targets))
  return targets.slice(-2).map((each) => at(each, 'status'))
}

const read = ({ path }: Wallet) => live.call(partner, 'GET', path)
const retry = ({ path }: Wallet) => live.call(partner, 'POST', `${path}/retry`, {})
const both = (status: string) => [status, status]

function order({ profileId, venue }: Wallet): Promise<Reply> {
  const { signature: _none, ...fields } = unsigned(partner, venue)
  return live.call(partner, 'POST', '/orders', {
    order: { ...fields, maker: ZERO_ADDRESS, signer: ZERO_ADDRESS },
    orderType: 'GTC',
    marketSlug: venue.slug,
    onBehalfOf: profileId,
  })
}

async function nextBlock(): Promise<void> {
  const blocks = reported.blocks.length
  live.shiftClock(BLOCK_MS)
  await reported.block(blocks + 1)
}

async function armFault(outcome: string): Promise<void> {
  const body = { nextApprovals: 1, outcome }
  const armed = await live.admin('/admin/settlement/faults', body)
  assert.deepEqual(armed.body, { tradeEventId: null, next: null, ...body })
}

test('a retry submits the missing approvals, and the next block confirms them', async () => {
  const wallet = await lateVenue()
  assert.deepEqual(newest(await read(wallet)), both('missing'))
  const submitted = await retry(wallet)
  assert.deepEqual(newest(submitted), both('submitted'))
  assert.equal(at(submitted.body, 'ready'), false)
  const { total } = Object(at(submitted.body, 'summary'))
  const summary = { total, confirmed: total - 2, missing: 0, submitted: 2, failed: 0 }
  assert.deepEqual(at(submitted.body, 'summary'), summary)
  assertRefused(await order(wallet), 400, 'ALLOWANCE_MISSING')
  assertRefused(await retry(wallet), 409, 'ALLOWANCE_RETRY_RUNNING')
  await nextBlock()
  const done = await read(wallet)
  assert.deepEqual(newest(done), both('confirmed'))
  assert.equal(at(done.body, 'ready'), true)
  assertRefused(await order(wallet), 400, 'INSUFFICIENT_COLLATERAL')
})

test('an approval that the chain refuses has failed, and may be retried', async () => {
  const wallet = await lateVenue()
  await armFault('FAILED')
  await retry(wallet)
  await nextBlock()
  const failed = await read(wallet)
  assert.deepEqual(newest(failed), both('failed'))
  const target = at(failed.body, 'targets', -1 + Number(at(failed.body, 'summary', 'total')))
  assert.equal(at(target, 'errorCode'), 'PRIVY_SUBMISSION_FAILED')
  assert.equal(at(target, 'retryable'), true)
  assert.equal(at(failed.body, 'summary', 'failed'), 2)
  assertRefused(await order(wallet), 400, 'ALLOWANCE_MISSING')
  assert.deepEqual(newest(await retry(wallet)), both('submitted'))
  await nextBlock()
  assert.deepEqual(newest(await read(wallet)), both('confirmed'))
})

test('an approval that a block retries waits for a later block, even over a restart', async () => {
  const wallet = await lateVenue()
  await armFault('RETRYING')
  await retry(wallet)
  await nextBlock()
  assert.deepEqual(newest(await read(wallet)), both('submitted'))
  await live.restart()
  reported = new Reported(live)
  assert.deepEqual(newest(await read(wallet)), both('submitted'))
  assertRefused(await order(wallet), 400, 'ALLOWANCE_MISSING')
  await nextBlock()
  assert.deepEqual(newest(await read(wallet)), both('confirmed'))
  assertRefused(await order(wallet), 400, 'INSUFFICIENT_COLLATERAL')
})

test('a fault names one target', async () => {
  for (const body of [
    { outcome: 'FAILED' },
    { next: 1, nextApprovals: 1, outcome: 'FAILED' },
    { tradeEventId: '1', nextApprovals: 1, outcome: 'FAILED' },
    { nextApprovals: 0, outcome: 'FAILED' },
  ]) {
    const refused = await live.send('POST', '/admin/settlement/faults', {
      headers: { ...ADMIN.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assertRefused(refused, 400, 'VALIDATION')
  }
})
