import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { signCall } from '../../server/auth/hmac-signature.ts'
import { type ExchangeClient, keyOf, type Trader } from '../support/exchange-client.ts'
import { ADMIN_TOKEN } from '../support/server-process.ts'
import { cookieOf, tokenOf } from './answers.ts'
import { plainCall } from './socket.ts'
import type { Flaw, Proof, Role } from './speaker.ts'
import { messageQuery, proofOf } from './wallet-proof.ts'

// The actors of a fuzzed exchange, and how each proves who it is, rightly or not.

const SHARE = 1_000_000
const FUNDS_RAW = 1_000_000 * SHARE
const SIGNED_LATE_MS = 60_000
const ISSUER = 'fuzz'
const AUDIENCE = 'exchange'

export interface Credentials {
  readonly tokenId: string
  readonly secret: string
}

export interface Actor {
  readonly role: Role
  trader: Trader
  /** Credentials of a token with `WEAK_SCOPES`. */
  weak: Credentials
  /** A live session, as `name=value`. */
  cookie: string
  readonly identity: string
  readonly lateIdentity: string
}

export interface Cast {
  readonly actors: ReadonlyMap<Role, Actor>
  readonly identityKey: KeyObject
}

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  owner: ['trading', 'account_creation', 'delegated_signing', 'withdrawal'],
  stranger: ['trading'],
  partner: ['trading', 'account_creation', 'delegated_signing', 'withdrawal'],
}
/** What the weak token of an actor may do: withdraw, and nothing else that needs a scope. */
export const WEAK_SCOPES: readonly string[] = ['withdrawal']

/** The stranger begins as the sub-account of somebody who never acts, so it can leave a partner. */
async function adopt(client: ExchangeClient, port: number): Promise<void> {
  const guardian = await client.makeTrader('fuzz guardian', 0)
  const { account } = guardian
  const token = await mint(client, account, ['account_creation'])
  const route = 'POST /profiles/partner-accounts'
  const proof = await proofOf(port, keyOf('fuzz stranger'), messageQuery(route, guardian))
  const [method, path] = route.split(' ')
  const headers = Object.fromEntries(proof)
  const reply = await client.call({ ...guardian, ...token }, method, path, '{}', headers)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
}

/** Makes the three who trade. The owner and the partner may make sub-accounts and act for them. */
export async function makeActors(
  client: ExchangeClient,
  port: number,
  identityKey: KeyObject,
): Promise<Map<Role, Actor>> {
  await adopt(client, port)
  const actors = new Map<Role, Actor>()
  for (const role of ['owner', 'stranger', 'partner'] as const) {
    const made = await client.makeTrader(`fuzz ${role}`, FUNDS_RAW)
    const { account, profileId, key } = made
    const trader = { profileId, account, key, ...(await mint(client, account, SCOPES[role])) }
    const weak = await mint(client, account, WEAK_SCOPES)
    const cookie = await logIn(port, trader)
    const identity = await tokenFor(account, identityKey, '1h')
    const lateIdentity = await tokenFor(account, identityKey, '-1h')
    actors.set(role, { role, trader, weak, cookie, identity, lateIdentity })
  }
  return actors
}

async function mint(
  client: ExchangeClient,
  account: string,
  scopes: readonly string[],
): Promise<Credentials> {
  return tokenOf(await client.admin('/admin/profiles', { account, apiToken: { scopes } }))
}

/** Gives an actor a new token or session when a request of its own ended the old one. */
export async function revive(client: ExchangeClient, port: number, actor: Actor): Promise<void> {
  const { trader, role, weak } = actor
  if (!(await opens(port, trader))) {
    actor.trader = { ...trader, ...(await mint(client, trader.account, SCOPES[role])) }
  }
  if (!(await opens(port, weak))) actor.weak = await mint(client, trader.account, WEAK_SCOPES)
  const headers: [string, string][] = [['cookie', actor.cookie]]
  const session = await plainCall(port, { method: 'GET', target: '/auth/verify-auth', headers })
  if (session.status !== 200) actor.cookie = await logIn(port, trader)
}

/** Unfreezes the profiles; a 409 means that the cancels of the freeze are not done yet. */
export async function thaw(port: number, profiles: readonly string[]): Promise<void> {
  const headers: [string, string][] = [['authorization', `Bearer ${ADMIN_TOKEN}`]]
  for (const profileId of profiles) {
    const target = `/admin/profiles/${profileId}/unfreeze`
    const call = { method: 'POST', target, headers, body: Buffer.alloc(0) }
    while ((await plainCall(port, call)).status === 409) {}
  }
}

async function opens(port: number, credentials: Credentials): Promise<boolean> {
  const target = '/profiles/me'
  const call = { method: 'GET', target, body: Buffer.alloc(0) }
  const headers = hmacHeaders(call, credentials, 'none')
  return (await plainCall(port, { method: 'GET', target, headers })).status === 200
}

async function logIn(port: number, { key }: Trader): Promise<string> {
  const body = Buffer.from('{"client":"eoa"}')
  for (;;) {
    const proof = await proofOf(port, key)
    const headers: [string, string][] = [...proof, ['content-type', 'application/json']]
    const call = { method: 'POST', target: '/auth/login', headers, body }
    const answer = await plainCall(port, call)
    // The read tables of a busy machine may be behind.
    if (answer.status !== 503) return cookieOf(answer)
  }
}

/** A provider of identity tokens, and the flags of an exchange that accepts them. */
export function openProvider(dataDir: string): { privateKey: KeyObject; flags: string[] } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const keyFile = join(dataDir, 'identity.pem')
  writeFileSync(keyFile, publicKey.export({ type: 'spki', format: 'pem' }))
  const claims = ['--identity-issuer', ISSUER, '--identity-audience', AUDIENCE]
  return { privateKey, flags: ['--identity-key', keyFile, ...claims] }
}

function tokenFor(account: string, key: KeyObject, expires: string): Promise<string> {
  const jwt = new SignJWT({ account }).setProtectedHeader({ alg: 'EdDSA' })
  return jwt.setIssuer(ISSUER).setAudience(AUDIENCE).setExpirationTime(expires).sign(key)
}

export interface UnsignedCall {
  readonly method: string
  readonly target: string
  readonly body: Buffer
}

/** The headers by which an actor proves who it is; with a flaw they prove nothing. */
export function proofHeaders(
  actor: Actor | undefined,
  proof: Proof,
  flaw: Flaw,
  call: UnsignedCall,
): [string, string][] {
  if (proof === 'admin') return [['authorization', adminText(flaw)]]
  if (actor === undefined || proof === 'none') return []
  if (proof === 'bearer') return [['authorization', bearerText(actor, flaw)]]
  if (proof === 'session') return [['cookie', cookieText(actor.cookie, flaw)]]
  if (proof === 'identity') return [['identity', `Bearer ${identityText(actor, flaw)}`]]
  const credentials = flaw === 'scope' ? actor.weak : actor.trader
  return hmacHeaders(call, credentials, flaw)
}

export function hmacHeaders(
  { method, target, body }: UnsignedCall,
  { tokenId, secret }: Credentials,
  flaw: Flaw,
): [string, string][] {
  const lateMs = flaw === 'stale' ? -SIGNED_LATE_MS : flaw === 'future' ? SIGNED_LATE_MS : 0
  const instant = new Date(Date.now() + lateMs).toISOString()
  const timestamp = flaw === 'timestamp' ? instant.slice(0, 10) : instant
  const signature = signCall({
    secret: flaw === 'secret' ? randomBytes(32) : Buffer.from(secret, 'base64'),
    timestamp,
    method: flaw === 'method' ? `${method}X` : method,
    pathWithQuery: flaw === 'path' ? `${target}x` : target,
    body: flaw === 'body' ? Buffer.concat([body, Buffer.from(' ')]) : body,
  })
  return [
    ['svc-api-key', flaw === 'key' ? `${tokenId}0` : tokenId],
    ['svc-timestamp', timestamp],
    [
      'svc-signature',
      flaw === 'signature' || flaw === 'garbage' ? spoilt(signature, flaw) : signature,
    ],
  ]
}

function spoilt(text: string, flaw: Flaw): string {
  if (flaw === 'garbage') return '\u00ff='.repeat(40)
  const first = text.startsWith('A') ? 'B' : 'A'
  return first + text.slice(1)
}

function bearerText({ trader: { tokenId, secret } }: Actor, flaw: Flaw): string {
  const shown = flaw === 'none' || flaw === 'key' ? secret : spoilt(secret, flaw)
  return `Bearer ${flaw === 'key' ? `${tokenId}0` : tokenId}.${shown}`
}

function cookieText(cookie: string, flaw: Flaw): string {
  if (flaw === 'none') return cookie
  const [name] = cookie.split('=')
  if (flaw === 'garbage') return `${name}=\u00ff%00`
  return flaw === 'stale' ? `${name}="${cookie}"` : `${cookie}x`
}

function identityText({ identity, lateIdentity }: Actor, flaw: Flaw): string {
  const [, payload, signature] = identity.split('.')
  if (flaw === 'none') return identity
  if (flaw === 'stale') return lateIdentity
  if (flaw === 'garbage') return '..'
  if (flaw === 'signature') return `${identity.slice(0, -6)}AAAAAA`
  // The head names another algorithm; with the flaw `secret` the token is also unsigned.
  const alg = flaw === 'key' ? 'HS256' : 'none'
  const head = Buffer.from(JSON.stringify({ alg })).toString('base64url')
  return `${head}.${payload}.${flaw === 'secret' ? '' : signature}`
}

function adminText(flaw: Flaw): string {
  if (flaw === 'none') return `Bearer ${ADMIN_TOKEN}`
  if (flaw === 'method') return `Basic ${ADMIN_TOKEN}`
  if (flaw === 'garbage') return 'Bearer \u00ff'
  if (flaw === 'stale') return 'Bearer '
  return `Bearer ${ADMIN_TOKEN}x`
}

export function actorKey(role: Role): Uint8Array {
  return keyOf(`fuzz ${role}`)
}
