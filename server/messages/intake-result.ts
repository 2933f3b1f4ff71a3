import { assert, WorkerFault } from '../../engine/domain/assert.ts'
import { NO_TOKEN, type ProfileId, type TokenNo } from '../../engine/domain/ids.ts'
import { REJECT, type Reject, rejectOf } from '../../engine/domain/reject-precedence.ts'
import { HEAD, KIND, PLACE, PLACE_FIXED_BYTES } from '../../engine/wire/record-layout.ts'
import { NO_BYTES } from './call.ts'
import { RESULT, VERDICT } from './intake-layout.ts'
import { bufferOf } from './parts.ts'
import type { Extra } from './refusal.ts'

// Intake results as read by main. Bytes that do not decode cost the call that they answer. No field
// is used before the whole result is read.

/** The additional fields of a refusal, and its name. */
export interface OrderFlaw extends Extra {
  readonly code: 'OWNER_MISMATCH' | 'SIGNER_MISMATCH' | 'SIGNATURE_INVALID'
  readonly message: string
}

const SOUND = VERDICT.signatureOk | VERDICT.signerIsAccount | VERDICT.makerIsAccount

/** Whether no gate refuses an order for its verdict. */
export function isSound(verdict: number): boolean {
  return (verdict & SOUND) === SOUND
}

/** The cancel that a replacement's result carries besides its verdict. */
export interface ReplaceTask {
  readonly cancel: { readonly orderId: string } | { readonly clientOrderId: string }
  readonly mode: 'STOP_ON_FAILURE' | 'ALLOW_FAILURE'
}

/** The amend that a result carries. */
export interface AmendTask {
  /** Null for the order that the path of the call names. */
  readonly amend: { readonly orderId: string } | { readonly clientOrderId: string } | null
  /** Raw shares that may still trade; null for a replacement, whose result has the order. */
  readonly remainingRaw: number | null
  /** The fills that the caller has counted; null for those that are settled. */
  readonly filledRaw: number | null
}

export type OrderTask = ReplaceTask | AmendTask

/**
 * An order whose sender, shape, amounts and hash the intake has checked. The sequencer judges the
 * verdict on its signature. Only this file can create such an order. The object is reused and its
 * bytes are in a ring: both are valid only during `onResult`.
 */
class VerifiedOrder {
  readonly kind = 'verified'
  readonly #minted = true
  requestId = 0
  /** Profile and token that signed the call. */
  profileId: ProfileId = 0
  /** The profile that the order is for: the signer of the call, or its sub-account. */
  actorId: ProfileId = 0
  tokenNo: TokenNo = NO_TOKEN
  /** The `ownerId` that the body claims. */
  ownerId: ProfileId = 0
  /** 0 when not given. */
  timestampMs = 0
  /** 0 without a receive window. */
  recvWindowMs = 0
  signedFeeBps = 0
  /** Always false unless `signerIsAccount`: the signature of another account is not recovered. */
  signatureOk = false
  signerIsMaker = false
  signerIsAccount = false
  makerIsAccount = false
  /** PLACE record without seq, nowMs, slot, generation, reserveRaw and feeBps. */
  record: Uint8Array = NO_BYTES
  /** JSON fields of the reply's `order`, without braces; '' for an order with a flaw. */
  orderFields = ''
  /** The refusal of a gate of owner, signer or signature; null when none refuses. */
  flaw: OrderFlaw | null = null

  isMinted(): boolean {
    return this.#minted
  }
}

export type { VerifiedOrder }

export interface IntakeRefusal {
  readonly kind: 'refused'
  readonly requestId: number
  readonly reject: Reject
  /** 0 and NO_TOKEN when the refusal precedes the authentication of the token. */
  readonly profileId: ProfileId
  /** The caller itself when the body was not read, or when it may not act for the sub-account. */
  readonly actorId: ProfileId
  readonly tokenNo: TokenNo
  /** JSON array of { field, message }; '' unless the refusal is VALIDATION. */
  readonly issues: string
  /** Additional fields of the body. */
  readonly more?: Extra | undefined
  /** With MARKET_NOT_FOUND, the slug without a live market; '' when it is too long for a slug. */
  readonly marketSlug?: string
  /** With RATE_LIMITED, the seconds to wait. */
  readonly retryAfterSec?: number
  /** With INTERNAL, the fault of this order. */
  readonly broke?: { readonly error: WorkerFault }
}

/** A caller whose operation needs no signed order. */
export interface ProvenCaller {
  readonly kind: 'caller'
  readonly requestId: number
  readonly profileId: ProfileId
  readonly actorId: ProfileId
  readonly tokenNo: TokenNo
}

export type IntakeResult = VerifiedOrder | IntakeRefusal
/** The result of one part of a request. */
export type PartResult = IntakeResult | ProvenCaller

/** The result of a part that is an order. */
export function ofOrder(result: PartResult): IntakeResult {
  assert(result.kind !== 'caller', 'an order has a record')
  return result
}

/** The place of a result in its batch. */
export interface BatchPart {
  readonly index: number
  /** Orders in the request; 0 when it is refused as a whole. */
  readonly count: number
  /** What else the operation of this order does; null for nothing. */
  readonly task: OrderTask | null
}

/** The result of a request that broke while a thread checked it. */
export function brokenResult(requestId: number, reason: string): IntakeRefusal {
  const nobody = { profileId: 0, actorId: 0, tokenNo: NO_TOKEN, issues: '' }
  const broke = { error: new WorkerFault('intake', reason) }
  return { kind: 'refused', requestId, reject: REJECT.INTERNAL, ...nobody, broke }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function assertNamed(name: ReplaceTask['cancel']): void {
  const named: unknown = 'orderId' in name ? name.orderId : name.clientOrderId
  assert(isText(named), 'a task names an order')
}

/** Parses a task as written by `readBatch`. */
function taskOf(text: string): OrderTask | null {
  if (text === '') return null
  const task: OrderTask = JSON.parse(text)
  if ('amend' in task) {
    const { amend, remainingRaw, filledRaw } = task
    if (amend !== null) assertNamed(amend)
    assert(isAmount(remainingRaw) && isAmount(filledRaw), 'the sizes of a task are amounts')
    return { amend, remainingRaw, filledRaw }
  }
  const { cancel, mode } = task
  assert(mode === 'STOP_ON_FAILURE' || mode === 'ALLOW_FAILURE', 'a task has a mode')
  assertNamed(cancel)
  return { cancel, mode }
}

function isAmount(raw: number | null): boolean {
  return raw === null || (Number.isSafeInteger(raw) && raw >= 0)
}

function assertIssues(text: string): void {
  const issues: unknown = JSON.parse(text)
  assert(Array.isArray(issues) && issues.length > 0, 'the issues of a refusal are a list')
  for (const { field, message } of issues) {
    assert(isText(field) && isText(message), 'an issue has a field and a message')
  }
}

/** Interprets the text of a refusal by its reject: issues, a slug, seconds or other fields. */
function statedOf(reject: Reject, text: string) {
  if (reject === REJECT.MARKET_NOT_FOUND) return { issues: '', marketSlug: text }
  if (reject === REJECT.RATE_LIMITED) return { issues: '', retryAfterSec: Number(text) }
  if (reject === REJECT.VALIDATION || text === '') return { issues: text }
  const more: Extra = JSON.parse(text)
  assert(isText(more.message), 'the additional fields of a refusal have a message')
  return { issues: '', more }
}

function flawOf(text: string): OrderFlaw {
  const flaw: OrderFlaw = JSON.parse(text)
  assert(isText(flaw.code) && isText(flaw.message), 'a flaw has its refusal and a message')
  return flaw
}

/**
 * Reads one RESULT at a time; its fields describe the most recently read RESULT. The thread that
 * wrote it does not know the id of the request.
 */
export class ResultReader {
  readonly #order = new VerifiedOrder()
  result: PartResult = this.#order
  /** 0 for a request of one order, WHOLE_BATCH for a batch that is refused as a whole. */
  count = 0
  index = 0
  task: OrderTask | null = null

  read(bytes: Uint8Array, requestId: number): void {
    const view = bufferOf(bytes)
    const recordEnd = RESULT.record + view.readUInt32LE(RESULT.recordBytes)
    const textEnd = recordEnd + view.readUInt32LE(RESULT.textBytes)
    const taskEnd = textEnd + view.readUInt16LE(RESULT.taskBytes)
    assert(taskEnd === view.length, 'the parts of a result fill it')
    this.count = view[RESULT.count]
    this.index = view[RESULT.index]
    assert(this.index < Math.max(1, this.count), 'a part has a place in its batch')
    this.task = textEnd === taskEnd ? null : taskOf(view.toString('utf8', textEnd, taskEnd))
    this.result = this.#resultOf(view, requestId, recordEnd, textEnd)
    const isAmend = this.task !== null && 'amend' in this.task
    assert(this.result.kind !== 'caller' || isAmend, 'only an amend has no order')
  }

  #resultOf(view: Buffer, requestId: number, recordEnd: number, textEnd: number): PartResult {
    const reject = rejectOf(view.readUInt16LE(RESULT.rejectNumber))
    const caller = {
      requestId,
      profileId: view.readUInt32LE(RESULT.profileId),
      actorId: view.readUInt32LE(RESULT.actorId),
      tokenNo: view.readUInt32LE(RESULT.tokenNo),
    }
    if (reject === null) {
      const isOrder = recordEnd > RESULT.record
      return isOrder
        ? this.#orderOf(view, requestId, recordEnd, textEnd)
        : { kind: 'caller', ...caller }
    }
    const text = view.toString('utf8', recordEnd, textEnd)
    if (reject === REJECT.INTERNAL) return brokenResult(requestId, text)
    if (reject === REJECT.VALIDATION) assertIssues(text)
    return { kind: 'refused', reject, ...caller, ...statedOf(reject, text) }
  }

  #orderOf(view: Buffer, requestId: number, recordEnd: number, textEnd: number): VerifiedOrder {
    const order = this.#order
    const recordBytes = recordEnd - RESULT.record
    assert(recordBytes >= PLACE_FIXED_BYTES, 'an order has a whole record')
    assert(view.readUInt32LE(RESULT.record + HEAD.bytes) === recordBytes, 'a record has its length')
    assert(view[RESULT.record + HEAD.kind] === KIND.PLACE, 'an order is a PLACE record')
    const idBytes = view.readUInt16LE(RESULT.record + PLACE.clientOrderIdBytes)
    assert(PLACE.clientOrderId + idBytes <= recordBytes, 'a client id fits inside its record')
    const verdict = view[RESULT.verdict]
    order.requestId = requestId
    order.profileId = view.readUInt32LE(RESULT.profileId)
    order.actorId = view.readUInt32LE(RESULT.actorId)
    order.tokenNo = view.readUInt32LE(RESULT.tokenNo)
    order.ownerId = view.readDoubleLE(RESULT.ownerId)
    order.timestampMs = view.readDoubleLE(RESULT.timestampMs)
    order.recvWindowMs = view.readUInt32LE(RESULT.recvWindowMs)
    order.signedFeeBps = view.readUInt16LE(RESULT.record + PLACE.signedFeeBps)
    order.signatureOk = (verdict & VERDICT.signatureOk) !== 0
    order.signerIsMaker = (verdict & VERDICT.signerIsMaker) !== 0
    order.signerIsAccount = (verdict & VERDICT.signerIsAccount) !== 0
    order.makerIsAccount = (verdict & VERDICT.makerIsAccount) !== 0
    order.record = view.subarray(RESULT.record, recordEnd)
    const isSoundOrder = isSound(verdict) && order.ownerId === order.actorId
    order.flaw = isSoundOrder ? null : flawOf(view.toString('utf8', recordEnd, textEnd))
    // The order fields contain only digits, addresses and our own names, so they are ASCII.
    order.orderFields = isSoundOrder ? view.toString('latin1', recordEnd, textEnd) : ''
    return order
  }
}
