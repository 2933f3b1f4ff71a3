import { REJECT, type Reject } from '../../../../engine/domain/reject-precedence.ts'
import { decodePlaceTail } from '../../../../engine/wire/place-codec.ts'
import { RESULT, VERDICT } from '../../../messages/intake-layout.ts'
import type { OrderFlaw } from '../../../messages/intake-result.ts'
import { bufferOf } from '../../../messages/parts.ts'
import type { WalletQuery } from '../../../messages/wallet-signature.ts'
import type { Decided } from './wallet-checks.ts'

// Results (intake-layout.ts) of orders whose wallets decide about their signatures: the query,
// and the result as the sequencer gets it once that is decided.

/** The text of such a result: its flaw if the wallet refuses, else the fields of its reply. */
export type FlawOrFields = readonly [flaw: OrderFlaw, orderFields: string]

const SILENT =
  'The chain did not answer in time whether the wallet accepts the signature, and nothing ' +
  'happened; retry after the given seconds.'

/** Of a caller with too many queries. */
const WAIT_SEC = 1

export function walletDecides(result: Uint8Array): boolean {
  return (result[RESULT.verdict] & VERDICT.walletDecides) !== 0
}

/** The calling profile. */
export function callerOf(result: Uint8Array): number {
  return bufferOf(result).readUInt32LE(RESULT.profileId)
}

export function queryOf(result: Uint8Array): WalletQuery {
  const { maker, orderHash, signature } = decodePlaceTail(result.subarray(RESULT.record))
  return { wallet: maker, hash: orderHash, signature }
}

/** The same result without the query. */
export function decidedResult(result: Uint8Array, decided: Decided): Uint8Array {
  const view = bufferOf(result)
  const recordEnd = RESULT.record + view.readUInt32LE(RESULT.recordBytes)
  const textEnd = recordEnd + view.readUInt32LE(RESULT.textBytes)
  const [flaw, orderFields]: FlawOrFields = JSON.parse(view.toString('utf8', recordEnd, textEnd))
  const ended = (recordUntil: number, text: string, reject: Reject | null = null) => {
    const changed = Buffer.concat([
      view.subarray(0, recordUntil),
      Buffer.from(text),
      view.subarray(textEnd),
    ])
    changed.writeUInt16LE(reject?.number ?? 0, RESULT.rejectNumber)
    changed[RESULT.verdict] &= ~VERDICT.walletDecides
    if (decided === 'accepts') changed[RESULT.verdict] |= VERDICT.signatureOk
    changed.writeUInt32LE(recordUntil - RESULT.record, RESULT.recordBytes)
    changed.writeUInt32LE(Buffer.byteLength(text), RESULT.textBytes)
    return changed
  }
  switch (decided) {
    case 'accepts':
      return ended(recordEnd, orderFields)
    case 'refuses':
      return ended(recordEnd, JSON.stringify(flaw))
    case 'silent':
      return ended(RESULT.record, JSON.stringify({ message: SILENT }), REJECT.OVERLOADED)
    case 'full':
      return ended(RESULT.record, '', REJECT.OVERLOADED)
    case 'too many':
      return ended(RESULT.record, String(WAIT_SEC), REJECT.RATE_LIMITED)
  }
}
