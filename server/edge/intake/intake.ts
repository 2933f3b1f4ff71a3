import { isUtf8 } from 'node:buffer'
import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_TYPES, OUTCOME, STP_POLICIES } from '../../../engine/domain/order.ts'
import { flagBits, ORDER_FLAGS, setFlags } from '../../../engine/domain/order-flags.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { PRICE_ONE_TICKS, type TimeMs } from '../../../engine/domain/units.ts'
import { edgePoint } from '../../../engine/thread/fault-point.ts'
import { blankPlace, writePlace } from '../../../engine/wire/place-codec.ts'
import { viewOf } from '../../../engine/wire/record-head.ts'
import { writeWhole } from '../../../engine/wire/whole-text.ts'
import { checkTokenCall, hmacRefusal } from '../../auth/hmac-signature.ts'
import { targetOf } from '../../auth/on-behalf.ts'
import { sameAddress } from '../../crypto/address.ts'
import { hashOrder, type SignedFields } from '../../crypto/eip712.ts'
import { FORM, RESULT, VERDICT, WHOLE_BATCH } from '../../messages/intake-layout.ts'
import { isSound } from '../../messages/intake-result.ts'
import type { SignedRequest } from '../../messages/order-intake.ts'
import type { Extra, Issue } from '../../messages/refusal.ts'
import type { Directory, KnownMarket, KnownProfile, KnownToken } from './directory.ts'
import { keyIssues } from './order/client-order-id.ts'
import {
  amountsRefusal,
  blankAmounts,
  type GivenAmounts,
  priceRefusal,
  readAmounts,
} from './order/order-amounts.ts'
import { type Part, readBatch } from './order/order-batch.ts'
import {
  bodyIssues,
  clientOrderIdOf,
  isOrderBody,
  isSigned,
  type OrderBody,
  type SignedBody,
  shapeIssues,
} from './order/order-body.ts'
import { OrderFlaws } from './order/order-flaw.ts'
import {
  onChainVerdictOf,
  ownVerdictOf,
  signedFields,
  signForWallet,
  verdictOf,
} from './order/order-signature.ts'
import type { FlawOrFields } from './wallets/wallet-results.ts'

// The intake step of an order (design §3): it turns bytes into a typed order and a signature
// verdict. It is pure except for its own buffers, so threads and tests run the same code.

/** The owner of an order: the caller, or a sub-account that it acts for. */
type Actor = KnownToken | KnownProfile

const SCOPES = ['trading'] as const
const ISSUES_MAX = 16
const FIELD_CHARACTERS_MAX = 64
const MESSAGE_CHARACTERS_MAX = 200
/** Fits any result: the longest is a refusal with all its issues, each cut and escaped. */
const OUTPUT_BYTES = 32 * 1024
const ESCAPED_BYTES_MAX = 6
const REASON_CHARACTERS_MAX = 4000

assert(
  ISSUES_MAX * (FIELD_CHARACTERS_MAX + MESSAGE_CHARACTERS_MAX) * ESCAPED_BYTES_MAX < OUTPUT_BYTES,
  'the issues of a refusal fit a result',
)

export class Intake {
  readonly #directory: Directory
  readonly #output = Buffer.alloc(OUTPUT_BYTES)
  readonly #amounts = blankAmounts()
  readonly #place = blankPlace()
  readonly #flaws: OrderFlaws
  readonly #skewMs: number

  /** `skewMs` is the maximum clock difference of a call. */
  constructor(directory: Directory, skewMs: number = LIMITS.signatureSkewMs) {
    this.#directory = directory
    this.#skewMs = skewMs
    this.#flaws = new OrderFlaws(directory)
  }

  /**
   * Returns all RESULTs of a request; the bytes of each are valid until `give` returns. A fault
   * costs only this request: its last RESULT reports it (design §11).
   */
  answer(request: SignedRequest, give: (result: Uint8Array) => void): void {
    try {
      edgePoint('in-intake')
      if ((request.form ?? FORM.ORDER) === FORM.ORDER) give(this.check(request))
      else this.checkBatch(request, give)
    } catch (error) {
      give(this.#broken(request, error))
    }
  }

  /** One RESULT for a request of a caller that must wait so long. */
  limited(form: number, waitSec: number): Uint8Array {
    const output = this.#output
    output.fill(0, 0, RESULT.record)
    if (form !== FORM.ORDER) output[RESULT.count] = WHOLE_BATCH
    output.writeUInt16LE(REJECT.RATE_LIMITED.number, RESULT.rejectNumber)
    return new Uint8Array(this.#finish(0, String(waitSec)))
  }

  #broken({ form = FORM.ORDER }: SignedRequest, error: unknown): Uint8Array {
    const output = this.#output
    output.fill(0, 0, RESULT.record)
    if (form !== FORM.ORDER) output[RESULT.count] = WHOLE_BATCH
    output.writeUInt16LE(REJECT.INTERNAL.number, RESULT.rejectNumber)
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return this.#finish(0, reason.slice(0, REASON_CHARACTERS_MAX))
  }

  /** Returns one RESULT (intake-layout.ts); its bytes are valid until the next call. */
  check(request: SignedRequest): Uint8Array {
    const output = this.#output
    output.fill(0, 0, RESULT.record)
    const token = this.#prove(request)
    if (token instanceof Reject) return this.#unproven(token, request)
    const value = parseJson(request.body)
    if (value === undefined) return this.#refuse(REJECT.BODY_MALFORMED)
    return this.#body(value, token, request)
  }

  /**
   * Returns one RESULT per order of a batch, or one RESULT when the batch is refused as a whole.
   * The bytes are valid until `give` returns. The caller is authenticated once.
   */
  checkBatch(request: SignedRequest, give: (result: Uint8Array) => void): void {
    const output = this.#output
    output.fill(0, 0, RESULT.record)
    output[RESULT.count] = WHOLE_BATCH
    const token = this.#prove(request)
    if (token instanceof Reject) {
      give(this.#unproven(token, request))
      return
    }
    const value = parseJson(request.body)
    const { form = FORM.ORDER, onBehalfOf = 0, nowMs } = request
    const batch = value === undefined ? null : readBatch(form, value, { onBehalfOf, nowMs })
    if (batch === null) give(this.#refuse(REJECT.BODY_MALFORMED))
    else if ('issues' in batch) give(this.#invalid(batch.issues))
    else {
      const { parts } = batch
      for (let index = 0; index < parts.length; index++) {
        output.fill(0, RESULT.rejectNumber, RESULT.profileId)
        output[RESULT.index] = index
        output[RESULT.count] = parts.length
        give(this.#part(parts[index], token, request))
      }
    }
  }

  #part({ body, task, onBehalfOf }: Part, token: KnownToken, call: SignedRequest): Uint8Array {
    const output = this.#output
    const result =
      body === undefined ? this.#caller(token, onBehalfOf) : this.#body(body, token, call)
    const taskBytes = writeWhole(output, task, result.length)
    output.writeUInt16LE(taskBytes, RESULT.taskBytes)
    return output.subarray(0, result.length + taskBytes)
  }

  /** The result for an operation without an order. */
  #caller(token: KnownToken, onBehalfOf = 0): Uint8Array {
    this.#output.writeUInt32LE(token.profileId, RESULT.actorId)
    const actor = onBehalfOf === 0 ? token : this.#actor(token, onBehalfOf)
    if (actor instanceof Reject) return this.#refuse(actor)
    this.#output.writeUInt32LE(actor.profileId, RESULT.actorId)
    return this.#finish(0, '')
  }

  /** The token that signed the call, or why the call does not prove it. */
  #prove(request: SignedRequest): KnownToken | Reject {
    const token = this.#directory.token(request.apiKey)
    const reject = checkTokenCall(token, request.apiKey, request, SCOPES, this.#skewMs)
    if (reject !== null) return reject
    assert(token !== undefined, 'an authenticated call has a token')
    this.#output.writeUInt32LE(token.profileId, RESULT.profileId)
    this.#output.writeUInt32LE(token.tokenNo, RESULT.tokenNo)
    return token
  }

  #unproven(reject: Reject, request: SignedRequest): Uint8Array {
    const isWrong = reject === REJECT.HMAC_INVALID
    return this.#refuse(reject, isWrong ? hmacRefusal(request) : undefined)
  }

  #body(value: unknown, token: KnownToken, call: SignedRequest): Uint8Array {
    this.#output.writeUInt32LE(token.profileId, RESULT.actorId)
    if (!isOrderBody(value)) return this.#invalid(shapeIssues(value))
    const { profileId, issue } = targetOf(call.onBehalfOf ?? 0, value.onBehalfOf)
    if (issue !== null) return this.#invalid([issue])
    const { idempotencyKey = '' } = call
    const issues = bodyIssues(value, { isDelegated: profileId !== 0, nowMs: call.nowMs })
    if (idempotencyKey !== '') issues.push(...keyIssues(idempotencyKey, value.clientOrderId))
    if (issues.length > 0) return this.#invalid(issues)
    const actor = profileId === 0 ? token : this.#actor(token, profileId)
    if (actor instanceof Reject) return this.#refuse(actor)
    this.#output.writeUInt32LE(actor.profileId, RESULT.actorId)
    const body = idempotencyKey === '' ? value : { ...value, clientOrderId: idempotencyKey }
    return this.#order(body, actor, call.nowMs)
  }

  /** The sub-account that a token acts for, or why it may not. */
  #actor(token: KnownToken, profileId: ProfileId): KnownProfile | Reject {
    if (!token.scopes.includes('delegated_signing')) return REJECT.SCOPE_MISSING_DELEGATED_SIGNING
    const profile = this.#directory.profile(profileId)
    const isOwn = profile !== undefined && profile.partnerId === token.profileId
    return isOwn ? profile : REJECT.NOT_SUB_ACCOUNT
  }

  #order(given: OrderBody, actor: Actor, nowMs: TimeMs): Uint8Array {
    const market = this.#directory.market(given.marketSlug)
    if (market === undefined) return this.#unknown(given.marketSlug)
    if (market.isPool) return this.#refuse(REJECT.ORDERBOOK_OF_POOL)
    const outcome = outcomeOf(given.order.tokenId, market)
    if (outcome < 0) return this.#refuse(REJECT.TOKEN_NOT_IN_MARKET, tokenRefusal(market))
    const amounts = amountsOf(given)
    const reject = readAmounts(amounts, this.#amounts)
    if (reject === REJECT.AMOUNTS_INVALID) return this.#refuse(reject, amountsRefusal(amounts))
    if (reject !== null) {
      return this.#refuse(reject, priceRefusal(amounts.price, this.#amounts.priceTicks))
    }
    const isOnChain = this.#directory.chain !== null
    const body = signedBy(actor, given, market, outcome, isOnChain)
    if (body instanceof Reject) return this.#refuse(body)
    const fields = signedFields(body, market, outcome)
    const signature = Buffer.from(body.order.signature.slice(2), 'hex')
    const hash = hashOrder(fields, market.separator)
    const output = this.#output
    const isOurs = isOnChain && body !== given
    const verdict = isOurs
      ? ownVerdictOf(fields, actor.signer)
      : this.#verdict(actor, fields, signature, hash)
    output[RESULT.verdict] = verdict
    output.writeDoubleLE(body.ownerId, RESULT.ownerId)
    output.writeDoubleLE(body.timestamp ?? 0, RESULT.timestampMs)
    output.writeUInt32LE(body.recvWindow ?? 0, RESULT.recvWindowMs)

    const place = this.#place
    this.#fillTerms(body, market, outcome)
    place.accountId = actor.profileId
    const hashView = viewOf(hash)
    place.hashHigh = hashView.getUint32(0, false)
    place.hashLow = hashView.getUint32(4, false)
    const recordBytes = writePlace(output, RESULT.record, place, {
      orderHash: hash,
      salt: fields.salt,
      maker: fields.maker,
      signer: fields.signer,
      signature,
      signatureType: body.order.signatureType,
      signedFeeBps: body.order.feeRateBps,
    })
    const { ownerId } = body
    const isOwn = ownerId === actor.profileId
    if (isSound(verdict) && isOwn) {
      return this.#finish(recordBytes, this.#orderFields(body, outcome))
    }
    const smartWallet = this.#smartWalletOf(actor)
    const order = { fields, signature, hash, market, ownerId, actor, smartWallet }
    const flaw = this.#flaws.of(order, verdict, nowMs)
    if ((verdict & VERDICT.walletDecides) !== 0 && isOwn) {
      const both: FlawOrFields = [flaw, this.#orderFields(body, outcome)]
      return this.#finish(recordBytes, JSON.stringify(both))
    }
    output[RESULT.verdict] &= ~VERDICT.walletDecides
    return this.#finish(recordBytes, JSON.stringify(flaw))
  }

  #verdict(actor: Actor, fields: SignedFields, signature: Uint8Array, hash: Uint8Array): number {
    const isByKey = fields.signatureType === 0 && !this.#tradesWithWallet(actor)
    return isByKey
      ? verdictOf(fields, signature, hash, actor.signer, null)
      : this.#walletVerdict(actor, fields, signature, hash)
  }

  #walletVerdict(
    actor: Actor,
    fields: SignedFields,
    signature: Uint8Array,
    hash: Uint8Array,
  ): number {
    const { signer } = actor
    const { chain } = this.#directory
    const smartWallet = this.#smartWalletOf(actor)
    if (chain === null) return verdictOf(fields, signature, hash, signer, smartWallet)
    return onChainVerdictOf(fields, signature, hash, { signer, smartWallet }, chain)
  }

  /** On a chain, the funds of a profile are in its smart wallet, once it has one. */
  #tradesWithWallet(actor: Actor): boolean {
    if (this.#directory.chain === null) return false
    const wallet = this.#smartWalletOf(actor)
    return wallet !== null && !sameAddress(wallet, actor.signer.address)
  }

  #smartWalletOf(actor: Actor): Uint8Array | null {
    if ('smartWallet' in actor) return actor.smartWallet
    return this.#directory.profile(actor.profileId)?.smartWallet ?? null
  }

  /** Fills the terms of the order; the sequencer's fields stay 0. */
  #fillTerms(body: SignedBody, market: KnownMarket, outcome: number): void {
    const { order } = body
    const place = this.#place
    const amounts = this.#amounts
    place.book = market.book
    place.marketId = market.marketId
    place.side = order.side
    place.outcome = outcome
    place.orderType = ORDER_TYPES.indexOf(body.orderType)
    setFlags(place, flagBits(body))
    place.marketForm = amounts.marketForm
    place.stp = body.stpPolicy === undefined ? 0 : STP_POLICIES.indexOf(body.stpPolicy)
    place.priceTicks = amounts.priceTicks
    place.sizeRaw = amounts.sizeRaw
    place.spendRaw = amounts.spendRaw
    place.expirationSec = Number(order.expiration)
    place.clientOrderId = clientOrderIdOf(body)
    place.orderGroup = body.orderGroupId ?? 0
  }

  /** The signed fields as the 201 reply prints them, without braces; every value is JSON-safe. */
  #orderFields(body: SignedBody, outcome: number): string {
    const { order, orderType, orderGroupId } = body
    const { priceTicks, sizeRaw, spendRaw } = this.#amounts
    const price = priceTicks === 0 ? 'null' : priceTicks / PRICE_ONE_TICKS
    const group = orderGroupId === undefined ? '' : `,"orderGroupId":${orderGroupId}`
    return (
      `"salt":"${order.salt}","maker":"${order.maker}","signer":"${order.signer}",` +
      `"taker":"${order.taker}","tokenId":"${order.tokenId}","token":"${order.tokenId}",` +
      `"outcome":"${outcome === OUTCOME.YES ? 'YES' : 'NO'}",` +
      `"makerAmount":${Number(order.makerAmount)},"takerAmount":${Number(order.takerAmount)},` +
      `"originalSize":"${spendRaw === 0 ? sizeRaw : spendRaw}",` +
      `"expiration":"${order.expiration}","nonce":0,"feeRateBps":${order.feeRateBps},` +
      `"side":${order.side},"signatureType":${order.signatureType},` +
      `"signature":"${order.signature}","orderType":"${orderType}","type":"${orderType}",` +
      `${flagsText(flagBits(body))}"price":${price}${group}`
    )
  }

  #refuse(reject: Reject, more?: Extra): Uint8Array {
    this.#output.writeUInt16LE(reject.number, RESULT.rejectNumber)
    return this.#finish(0, more === undefined ? '' : JSON.stringify(more))
  }

  /** Main looks up in the tables whether a market had the slug. */
  #unknown(marketSlug: string): Uint8Array {
    this.#output.writeUInt16LE(REJECT.MARKET_NOT_FOUND.number, RESULT.rejectNumber)
    return this.#finish(0, marketSlug.length <= LIMITS.slugCharactersMax ? marketSlug : '')
  }

  #invalid(issues: readonly Issue[]): Uint8Array {
    const cut = issues.slice(0, ISSUES_MAX).map(({ field, message }) => ({
      field: field.slice(0, FIELD_CHARACTERS_MAX),
      message: message.slice(0, MESSAGE_CHARACTERS_MAX),
    }))
    this.#output.writeUInt16LE(REJECT.VALIDATION.number, RESULT.rejectNumber)
    return this.#finish(0, JSON.stringify(cut))
  }

  #finish(recordBytes: number, text: string): Uint8Array {
    const output = this.#output
    const at = RESULT.record + recordBytes
    const textBytes = writeWhole(output, text, at)
    output.writeUInt32LE(recordBytes, RESULT.recordBytes)
    output.writeUInt32LE(textBytes, RESULT.textBytes)
    return output.subarray(0, at + textBytes)
  }
}

function parseJson(body: Uint8Array): unknown {
  if (body.length > LIMITS.bodyBytesMax || !isUtf8(body)) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function amountsOf({ order, orderType }: OrderBody): GivenAmounts {
  return {
    side: order.side,
    isFok: orderType === 'FOK',
    makerAmount: Number(order.makerAmount),
    takerAmount: Number(order.takerAmount),
    price: order.price,
  }
}

function tokenRefusal({ yesTokenId: yes, noTokenId: no }: KnownMarket): Extra {
  const message = `${REJECT.TOKEN_NOT_IN_MARKET.sentence} They are ${yes} and ${no}.`
  return { message, tokens: { yes, no } }
}

function flagsText(bits: number): string {
  let text = ''
  for (const { name, bit } of ORDER_FLAGS) text += `"${name}":${(bits & bit) !== 0},`
  return text
}

function outcomeOf(tokenId: string, market: KnownMarket): number {
  if (tokenId === market.yesTokenId) return OUTCOME.YES
  return tokenId === market.noTokenId ? OUTCOME.NO : -1
}

/** The signed order, or why the server wallet does not sign it. */
function signedBy(
  actor: Actor,
  given: OrderBody,
  market: KnownMarket,
  outcome: number,
  isOnChain: boolean,
): SignedBody | Reject {
  if (isSigned(given)) return given
  if (!('key' in actor) || actor.key === null) return REJECT.NO_SERVER_WALLET
  if (!actor.approved.includes(market.exchangeAddress)) return REJECT.ALLOWANCE_MISSING
  return signForWallet(given, actor, market, outcome, isOnChain)
}
