// PLACE records ↔ orders. Hot decoders fill an object that the caller reuses.

import { assert } from '../domain/assert.ts'
import type { Arrival, PlaceOrder } from '../domain/command.ts'
import type { OrderGroupId } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import { flagBits, MARKET_FORM, setFlags } from '../domain/order-flags.ts'
import { viewOf, wholeViewOf, writeHead } from './record-head.ts'
import {
  beginsOrder,
  HEAD,
  KIND,
  PLACE,
  PLACE_FIXED_BYTES,
  padTo8,
  REPLACED,
  REPLACED_BYTES,
  SIGNATURE_BYTES,
} from './record-layout.ts'

/** Writes the sequencer's decisions to a PLACE record from the intake. */
export function stampPlace(record: Uint8Array, order: PlaceOrder): void {
  const view = wholeViewOf(record)
  const at = record.byteOffset
  assert(beginsOrder(view.getUint8(at + HEAD.kind)), 'only the record of an order is stamped')
  writeDecided(view, at, order)
}

/** Writes the decided fields of the order to the PLACE or RELEASE record at `at`. */
export function writeDecided(view: DataView, at: number, order: Arrival): void {
  view.setFloat64(at + HEAD.seq, order.seq, true)
  view.setFloat64(at + HEAD.nowMs, order.nowMs, true)
  view.setUint32(at + PLACE.slot, order.slot, true)
  view.setUint32(at + PLACE.generation, order.generation, true)
  view.setFloat64(at + PLACE.reserveRaw, order.reserveRaw, true)
  view.setUint16(at + PLACE.feeBps, order.feeBps, true)
  view.setUint16(at + PLACE.takerDelayMs, order.takerDelayMs, true)
}

export interface PlaceTail {
  orderHash: Uint8Array
  salt: Uint8Array
  maker: Uint8Array
  signer: Uint8Array
  signature: Uint8Array
  signatureType: number
  signedFeeBps: number
}

const NO_TAIL: PlaceTail = {
  orderHash: new Uint8Array(32),
  salt: new Uint8Array(32),
  maker: new Uint8Array(20),
  signer: new Uint8Array(20),
  signature: new Uint8Array(SIGNATURE_BYTES),
  signatureType: 0,
  signedFeeBps: 0,
}

/** A whole PLACE record. */
export function encodePlace(order: PlaceOrder, tail: PlaceTail = NO_TAIL): Uint8Array {
  assert(tail.signature.length === SIGNATURE_BYTES, 'a signature is written completely')
  const record = new Uint8Array(placeBytes(Buffer.byteLength(order.clientOrderId)))
  writePlace(record, 0, order, tail)
  const whole = order.replacedSlot === 0 ? record : replacementOf(record, order)
  stampPlace(whole, order)
  return whole
}

/** The record of an order that replaces another, from that of the order alone. */
export function replacementOf(record: Uint8Array, order: PlaceOrder): Uint8Array {
  const whole = new Uint8Array(record.length + REPLACED_BYTES)
  whole.set(record)
  const view = viewOf(whole)
  view.setUint32(HEAD.bytes, whole.length, true)
  view.setUint8(HEAD.kind, KIND.REPLACE)
  view.setUint32(record.length + REPLACED.slot, order.replacedSlot, true)
  view.setUint32(record.length + REPLACED.generation, order.replacedGeneration, true)
  view.setFloat64(record.length + REPLACED.openRaw, order.replacedOpenRaw, true)
  view.setFloat64(record.length + REPLACED.replacingRaw, order.replacingRaw, true)
  view.setUint16(record.length + REPLACED.priceTicks, order.replacedTicks, true)
  return whole
}

function placeBytes(idBytes: number): number {
  assert(idBytes <= LIMITS.clientOrderIdBytesMax, 'the length of a client id fits its field')
  return padTo8(PLACE_FIXED_BYTES + idBytes)
}

/**
 * Writes a PLACE record at `at`, without the fields that `stampPlace` writes, and returns its
 * length. The first eight bytes of the hash come from the order itself.
 */
export function writePlace(
  output: Uint8Array,
  at: number,
  order: PlaceOrder,
  tail: PlaceTail,
): number {
  const id = Buffer.from(order.clientOrderId, 'utf8')
  const record = output.subarray(at, at + placeBytes(id.length)).fill(0)
  const view = viewOf(record)
  writeHead(view, KIND.PLACE, order)
  writeTerms(view, order)
  view.setUint8(PLACE.signatureType, tail.signatureType)
  view.setUint16(PLACE.signedFeeBps, tail.signedFeeBps, true)
  view.setUint16(PLACE.clientOrderIdBytes, id.length, true)
  writeGroup(view, order.orderGroup)
  record.set(tail.orderHash, PLACE.orderHash)
  view.setUint32(PLACE.orderHash, order.hashHigh, false)
  view.setUint32(PLACE.orderHash + 4, order.hashLow, false)
  record.set(tail.salt, PLACE.salt)
  record.set(tail.maker, PLACE.maker)
  record.set(tail.signer, PLACE.signer)
  record.set(tail.signature, PLACE.signature)
  record.set(id, PLACE.clientOrderId)
  return record.length
}

/** Writes the remaining fields of a PLACE or RELEASE head, which `writeDecided` does not write. */
export function writeTerms(view: DataView, order: Arrival): void {
  view.setUint16(HEAD.book, order.book, true)
  view.setUint32(HEAD.market, order.marketId, true)
  view.setUint32(HEAD.account, order.accountId, true)
  view.setUint8(PLACE.side, order.side)
  view.setUint8(PLACE.outcome, order.outcome)
  view.setUint8(PLACE.orderType, order.orderType)
  view.setUint8(PLACE.flags, flagBits(order) | (order.marketForm ? MARKET_FORM : 0))
  view.setUint8(PLACE.stp, order.stp)
  view.setUint16(PLACE.priceTicks, order.priceTicks, true)
  view.setFloat64(PLACE.sizeRaw, order.sizeRaw, true)
  view.setFloat64(PLACE.spendRaw, order.spendRaw, true)
  view.setFloat64(PLACE.expirationSec, order.expirationSec, true)
}

/** Reads a PLACE record into `order`, which hot callers reuse. */
export function decodePlaceInto(record: Uint8Array, order: PlaceOrder): void {
  const view = wholeViewOf(record)
  const at = record.byteOffset
  readPlaceHead(view, at, order)
  order.hashHigh = view.getUint32(at + PLACE.orderHash, false)
  order.hashLow = view.getUint32(at + PLACE.orderHash + 4, false)
  order.orderGroup = readGroup(view, at)
  const idBytes = view.getUint16(at + PLACE.clientOrderIdBytes, true)
  assert(PLACE.clientOrderId + idBytes <= record.length, 'a client order id fits its record')
  if (doesReplace(view, at)) readReplaced(view, at + record.length - REPLACED_BYTES, order)
  order.clientOrderId =
    idBytes === 0
      ? ''
      : Buffer.from(record.buffer, record.byteOffset + PLACE.clientOrderId, idBytes).toString()
}

const WORD = 2 ** 32

/** A seq needs at most 48 bits: a million commands a second fill them in nine years. */
function writeGroup(view: DataView, group: OrderGroupId): void {
  view.setUint16(PLACE.orderGroup, Math.floor(group / WORD), true)
  view.setUint32(PLACE.orderGroup + 2, group % WORD, true)
}

function readGroup(view: DataView, at: number): OrderGroupId {
  const high = view.getUint16(at + PLACE.orderGroup, true)
  return high * WORD + view.getUint32(at + PLACE.orderGroup + 2, true)
}

/** Whether the order of the record at `at` replaces another. */
export function doesReplace(view: DataView, at: number): boolean {
  return view.getUint8(at + HEAD.kind) === KIND.REPLACE
}

/** Reads the part REPLACED at `at`. */
export function readReplaced(view: DataView, at: number, order: PlaceOrder): void {
  order.replacedSlot = view.getUint32(at + REPLACED.slot, true)
  order.replacedGeneration = view.getUint32(at + REPLACED.generation, true)
  order.replacedOpenRaw = view.getFloat64(at + REPLACED.openRaw, true)
  order.replacingRaw = view.getFloat64(at + REPLACED.replacingRaw, true)
  order.replacedTicks = view.getUint16(at + REPLACED.priceTicks, true)
}

/**
 * Reads the fixed head of the PLACE or RELEASE record at `at`, without hash, client id and the
 * order that it replaces.
 */
export function readPlaceHead(view: DataView, at: number, order: Arrival): void {
  order.seq = view.getFloat64(at + HEAD.seq, true)
  order.nowMs = view.getFloat64(at + HEAD.nowMs, true)
  order.book = view.getUint16(at + HEAD.book, true)
  order.marketId = view.getUint32(at + HEAD.market, true)
  order.accountId = view.getUint32(at + HEAD.account, true)
  order.slot = view.getUint32(at + PLACE.slot, true)
  order.generation = view.getUint32(at + PLACE.generation, true)
  order.side = view.getUint8(at + PLACE.side)
  order.outcome = view.getUint8(at + PLACE.outcome)
  order.orderType = view.getUint8(at + PLACE.orderType)
  const flags = view.getUint8(at + PLACE.flags)
  setFlags(order, flags)
  order.marketForm = (flags & MARKET_FORM) !== 0
  order.stp = view.getUint8(at + PLACE.stp)
  order.priceTicks = view.getUint16(at + PLACE.priceTicks, true)
  order.sizeRaw = view.getFloat64(at + PLACE.sizeRaw, true)
  order.spendRaw = view.getFloat64(at + PLACE.spendRaw, true)
  order.reserveRaw = view.getFloat64(at + PLACE.reserveRaw, true)
  order.expirationSec = view.getFloat64(at + PLACE.expirationSec, true)
  order.feeBps = view.getUint16(at + PLACE.feeBps, true)
  order.takerDelayMs = view.getUint16(at + PLACE.takerDelayMs, true)
  order.replacedSlot = 0
}

// Flags are written out too: with a spread before its fields the object is ten times as slow.
export function blankPlace(): PlaceOrder {
  return {
    kind: 'placeOrder',
    seq: 0,
    nowMs: 0,
    marketId: 0,
    book: 0,
    accountId: 0,
    slot: 0,
    generation: 0,
    side: 0,
    outcome: 0,
    orderType: 0,
    postOnly: false,
    marketForm: false,
    stp: 0,
    priceTicks: 0,
    sizeRaw: 0,
    spendRaw: 0,
    reserveRaw: 0,
    expirationSec: 0,
    feeBps: 0,
    takerDelayMs: 0,
    hashHigh: 0,
    hashLow: 0,
    clientOrderId: '',
    orderGroup: 0,
    replacedSlot: 0,
    replacedGeneration: 0,
    replacedOpenRaw: 0,
    replacedTicks: 0,
    replacingRaw: 0,
  }
}

export function decodePlaceTail(record: Uint8Array): PlaceTail {
  const view = viewOf(record)
  const part = (at: number, bytes: number) => record.slice(at, at + bytes)
  return {
    orderHash: part(PLACE.orderHash, 32),
    salt: part(PLACE.salt, 32),
    maker: part(PLACE.maker, 20),
    signer: part(PLACE.signer, 20),
    signature: part(PLACE.signature, SIGNATURE_BYTES),
    signatureType: view.getUint8(PLACE.signatureType),
    signedFeeBps: view.getUint16(PLACE.signedFeeBps, true),
  }
}
