// Joins the parts of a running exchange to the services that routes and guard read.

import { api } from './api.ts'
import type { AuthState, TokenState } from './auth/guard.ts'
import { keccakReady } from './auth/keccak.ts'
import type { ServeConfig } from './config.ts'
import { openApi } from './http/openapi.ts'
import type { Metrics } from './ops/metrics.ts'
import { AccountChanges } from './pipeline/accounts.ts'
import { Cancels } from './pipeline/cancels.ts'
import { MarketChanges } from './pipeline/market-changes.ts'
import type { RunningExchange } from './pipeline/open.ts'
import { PrivateReads } from './pipeline/private-reads.ts'
import type { Services } from './routes/services.ts'
import { VERSION } from './version.ts'

/** What the guard asks; opened secrets are kept, since every signed call needs one. */
function authState({ pipeline, seal }: RunningExchange): AuthState {
  const { accounts } = pipeline.clearing
  const opened = new Map<string, TokenState>()
  return {
    tokenById(tokenId) {
      const token = accounts.tokenById(tokenId)
      if (token === undefined || token.revoked) {
        opened.delete(tokenId)
        return undefined
      }
      const known = opened.get(tokenId)
      if (known !== undefined) return known
      const { profileId, scopes } = token
      const account = accounts.byId(profileId)?.account ?? ''
      const secret = seal.open(token.sealedSecret)
      const state = { profileId, account, scopes, secret, revoked: false }
      opened.set(tokenId, state)
      return state
    },
    sessionByDigest: (digest) => accounts.sessionByDigest(digest),
    profileById: (profileId) => accounts.byId(profileId),
    profileByAddress: (address) => accounts.byAddress(address),
    adminTokenDigest: () => accounts.adminTokenDigest,
  }
}

export async function wire(
  exchange: RunningExchange,
  config: ServeConfig,
  parts: { metrics: Metrics; clock: () => number; isReady: () => boolean },
): Promise<Services> {
  await keccakReady
  const { pipeline, seal, intake, shards, follower, query } = exchange
  const reads = new PrivateReads(pipeline, follower, query)
  const [headerPrefix] = config.headerPrefixes
  const document = Buffer.from(
    JSON.stringify(openApi(api, { title: 'outcomex', version: VERSION, headerPrefix })),
  )
  return {
    pipeline,
    reads,
    cancels: new Cancels(pipeline, reads),
    accounts: new AccountChanges(pipeline, seal, intake),
    markets: new MarketChanges(pipeline, intake, shards),
    auth: authState(exchange),
    settings: {
      headerPrefixes: config.headerPrefixes,
      collateral: { address: config.collateralAddress, decimals: 6, symbol: 'USDC' },
      exchangeAddress: config.exchangeAddress,
      isTls: config.tls !== undefined,
    },
    loginKey: seal.derive('login'),
    clock: parts.clock,
    isReady: parts.isReady,
    metricsText: () => parts.metrics.text(),
    openApi: () => document,
  }
}

/** Figures of the way of an order, read when somebody asks for metrics. */
export function watch(exchange: RunningExchange, metrics: Metrics): void {
  const { pipeline, journal, follower, intake, query, shards } = exchange
  const { gauge } = metrics
  const add = gauge.bind(metrics)
  add('outcomex_sequenced_seq', 'Newest decided command.', () => pipeline.clearing.lastSeq)
  add('outcomex_durable_seq', 'Newest durable command.', () => pipeline.durableSeq)
  add('outcomex_follower_seq', 'Newest command in the read tables.', () => follower.applied)
  add('outcomex_open_orders', 'Orders open or in flight.', () => {
    return pipeline.clearing.orders.openCount
  })
  add('outcomex_intake_in_flight', 'Orders inside the intake pool.', () => intake.inFlight())
  add('outcomex_replies_waiting', 'Replies under way.', () => pipeline.underWay)
  add('outcomex_journal_waiting_bytes', 'Journal ring.', () => journal.waitingBytes)
  add('outcomex_query_waiting', 'Questions to the query thread.', () => query.waiting)
  add('outcomex_market_threads', 'Market threads.', () => shards.all.length)
  const commit = metrics.histogram('outcomex_commit_seconds', 'One group commit.')
  const records = metrics.counter('outcomex_journal_records_total', 'Records committed.')
  journal.onCommit = (count, micros) => {
    commit(micros / 1e6)
    records(count)
  }
}
