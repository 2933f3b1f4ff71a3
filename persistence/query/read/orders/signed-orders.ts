import { assert } from '../../../../engine/domain/assert.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import { decodePlaceTail } from '../../../../engine/wire/place-codec.ts'
import { beginsOrder, HEAD } from '../../../../engine/wire/record-layout.ts'
import type { Records } from '../../../journal/journal-records.ts'

// What only the client could make of an order is not in the read tables, because it is a third of
// the order's bytes and is seldom read. It is read from the order's record.

/** Lowercase hex without 0x. */
export interface SignedTerms {
  /** Without leading zeros; '' is 0. */
  readonly saltHex: string
  readonly makerHex: string
  readonly signerHex: string
  readonly signatureHex: string
}

/** An order with its signed terms; null if its part of the journal was moved away. */
export type Signed<Row> = Row & { readonly signed: SignedTerms | null }

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

function termsOf(record: Uint8Array): SignedTerms {
  assert(beginsOrder(record[HEAD.kind]), 'an order begins with its record')
  const { salt, maker, signer, signature } = decodePlaceTail(record)
  return {
    saltHex: hexOf(salt).replace(/^(00)+/, ''),
    makerHex: hexOf(maker),
    signerHex: hexOf(signer),
    signatureHex: hexOf(signature),
  }
}

export class SignedOrders {
  readonly #records: Records

  constructor(records: Records) {
    this.#records = records
  }

  of<Row extends { readonly placedSeq: Seq }>(row: Row): Signed<Row> {
    const record = this.#records.at(row.placedSeq)
    return { ...row, signed: record === null ? null : termsOf(record) }
  }
}
