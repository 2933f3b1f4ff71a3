// Joins the parts of a running exchange to the services that routes and guard read.

import { api } from './api.ts'
import type { AuthState, Guard, TokenState } from './auth/guard.ts'
import { keccakReady } from './auth/keccak.ts'
import type { ServeConfig } from './config.ts'
import type { Gateway, GatewayOptions } from './http/gateway.ts'
import { openApi } from './http/openapi.ts'
import { Refusal } from './http/refusal.ts'
import { AccountChanges } from './pipeline/accounts.ts'
import { CancelReplace } from './pipeline/cancel-replace.ts'
import { Cancels } from './pipeline/cancels.ts'
import { HeartbeatChanges } from './pipeline/heartbeats.ts'
import { MarketChanges } from './pipeline/market-changes.ts'
import type { RunningExchange } from './pipeline/open.ts'
import { OrderStatuses } from './pipeline/order-status.ts'
import { PartnerAccounts } from './pipeline/partner-accounts.ts'
import { PrivateReads } from './pipeline/private-reads.ts'
import { TradingModeChanges } from './pipeline/trading-modes.ts'
import type { Services } from './routes/services.ts'
import { accountChannels } from './sockets/account-channels.ts'
import { SOCKET_BOUNDS, SOCKET_WAITS, SocketGateway } from './sockets/socket-gateway.ts'
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
  parts: {
    metricsText: () => Promise<string>
    clock: () => number
    isReady: () => boolean
  },
): Promise<Services> {
  await keccakReady
  const { pipeline, seal, intake, shards, follower, query } = exchange
  const reads = new PrivateReads(pipeline, follower, query)
  const cancels = new Cancels(pipeline, reads)
  const [headerPrefix] = config.headerPrefixes
  const document = Buffer.from(
    JSON.stringify(openApi(api, { title: 'outcomex', version: VERSION, headerPrefix })),
  )
  return {
    pipeline,
    reads,
    statuses: new OrderStatuses(pipeline, reads),
    cancels,
    replaces: new CancelReplace(pipeline, cancels),
    accounts: new AccountChanges(pipeline, seal, intake),
    partners: new PartnerAccounts(exchange, config.exchangeAddress),
    markets: new MarketChanges(pipeline, intake, shards),
    modes: new TradingModeChanges(pipeline),
    heartbeats: new HeartbeatChanges(pipeline),
    auth: authState(exchange),
    settings: {
      headerPrefixes: config.headerPrefixes,
      collateral: { address: config.collateralAddress, decimals: 6, symbol: 'USDC' },
      exchangeAddress: config.exchangeAddress,
      isTls: config.tls !== undefined,
      chainId: config.domain.chainId,
    },
    loginKey: seal.derive('login'),
    clock: parts.clock,
    isReady: parts.isReady,
    metricsText: parts.metricsText,
    openApi: () => document,
  }
}

/** Refusals of a proof that a command ended: they are told when that command is durable (law 1). */
const ENDED: ReadonlySet<string> = new Set(['SESSION_INVALID', 'API_KEY_INVALID'])

/** How the gateway learns who is speaking. */
export function prover(
  guard: Guard,
  { accounts, clock, pipeline }: Services,
): GatewayOptions<Services>['authenticate'] {
  return (call, auth) => {
    const proof = guard.authenticate(call, auth, clock())
    if (proof instanceof Promise) return proof
    if (proof instanceof Refusal) {
      return ENDED.has(proof.name) ? pipeline.durable().then(() => proof) : proof
    }
    // An identity token, which takes a promise, is no API token.
    if (proof.tokenId !== null) accounts.touch(proof.tokenId)
    return proof
  }
}

/** Lets sockets onto the gateway's port; call before it listens. */
export function wireSockets(
  { auth, clock, pipeline, reads }: Services,
  gateway: Gateway<Services>,
  guard: Guard,
  waits = SOCKET_WAITS,
): SocketGateway {
  const channels = accountChannels({ pipeline, reads, clock })
  const port = gateway.sockets(SOCKET_BOUNDS)
  return new SocketGateway({ port, guard, auth, clock, channels, waits })
}
