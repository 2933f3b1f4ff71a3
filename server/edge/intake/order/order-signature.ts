import { assert } from '../../../../engine/domain/assert.ts'
import { OUTCOME } from '../../../../engine/domain/order.ts'
import { ADDRESS_BYTES, sameAddress, ZERO_ADDRESS } from '../../../crypto/address.ts'
import { isSignedBy, type Signer } from '../../../crypto/ecdsa.ts'
import { type SignedFields, signOrder } from '../../../crypto/eip712.ts'
import { wordOf } from '../../../crypto/uint256.ts'
import { VERDICT } from '../../../messages/intake-layout.ts'
import { isSound } from '../../../messages/intake-result.ts'
import type { KnownChain, KnownMarket, KnownProfile } from '../directory.ts'
import type { OrderBody, SignedBody } from './order-body.ts'

// The fields that the signature of an order covers, what it proves (rules §1.1, §1.2), and how a
// server wallet creates it (rules §12.4).

/** Signature types of rules §1.2: 1 and 2 sign for a wallet, 3 is a contract wallet (EIP-1271). */
const EOA = 0
const CONTRACT = 3
const SIGNED_BY_WALLET =
  VERDICT.signerIsMaker | VERDICT.signerIsAccount | VERDICT.makerIsAccount | VERDICT.walletDecides
const TAKER = new Uint8Array(ADDRESS_BYTES)

/** Types of a wallet that the factory of a chain makes. */
export function isFactoryType(signatureType: number): boolean {
  return signatureType !== EOA && signatureType !== CONTRACT
}

export function signedFields(
  { order }: SignedBody,
  market: KnownMarket,
  outcome: number,
): SignedFields {
  const maker = Buffer.from(order.maker.slice(2), 'hex')
  return {
    salt: wordOf(String(order.salt)),
    maker,
    signer: order.signer === order.maker ? maker : Buffer.from(order.signer.slice(2), 'hex'),
    taker: TAKER,
    tokenId: outcome === OUTCOME.YES ? market.yesTokenWord : market.noTokenWord,
    makerAmount: Number(order.makerAmount),
    takerAmount: Number(order.takerAmount),
    expirationSec: Number(order.expiration),
    nonce: 0,
    feeBps: order.feeRateBps,
    side: order.side,
    signatureType: order.signatureType,
  }
}

/**
 * Returns the VERDICT bits. Recovering the key costs more than all other checks. SIGNER_MISMATCH
 * precedes SIGNATURE_INVALID, so the key of an order with a wrong signer is not recovered. The
 * maker of types 1 to 3 must be the profile's `smartWallet`: no chain is queried.
 */
export function verdictOf(
  fields: SignedFields,
  signature: Uint8Array,
  hash: Uint8Array,
  signer: Signer,
  smartWallet: Uint8Array | null,
): number {
  const { maker, signatureType } = fields
  const account = signatureType === EOA ? signer.address : smartWallet
  const isAccount = account !== null && sameAddress(maker, account)
  const signsItself = signatureType === CONTRACT && isAccount && sameAddress(fields.signer, maker)
  let verdict = 0
  if (sameAddress(fields.signer, maker)) verdict |= VERDICT.signerIsMaker
  if (isAccount) verdict |= VERDICT.makerIsAccount
  if (!signsItself && !sameAddress(fields.signer, signer.address)) return verdict
  verdict |= VERDICT.signerIsAccount
  return isSignedBy(signer, hash, signature) ? verdict | VERDICT.signatureOk : verdict
}

/**
 * The same for types 1 to 3 when trades settle on a chain, by the rules of its contract
 * (contracts/Orders.sol): the wallet of types 1 and 2 is the one that the factory makes for the
 * signer, and a wallet of type 3 decides about the signature itself. It may accept what no key has
 * signed. Only a signature of another signer than the wallet is that of a key, too.
 */
export function onChainVerdictOf(
  fields: SignedFields,
  signature: Uint8Array,
  hash: Uint8Array,
  by: { readonly signer: Signer; readonly smartWallet: Uint8Array | null },
  { wallets }: KnownChain,
): number {
  const { signer, smartWallet } = by
  const { maker, signatureType } = fields
  const isWallet = smartWallet !== null && sameAddress(maker, smartWallet)
  // The funds of this profile are in its smart wallet.
  if (signatureType === EOA) {
    return verdictOf(fields, signature, hash, signer, null) & ~VERDICT.makerIsAccount
  }
  if (isFactoryType(signatureType)) {
    const isMade = wallets === null || sameAddress(maker, wallets.of(signer.address))
    return verdictOf(fields, signature, hash, signer, isMade ? smartWallet : null)
  }
  if (isWallet && sameAddress(fields.signer, maker)) return SIGNED_BY_WALLET
  const verdict = verdictOf(fields, signature, hash, signer, smartWallet)
  return isSound(verdict) ? (verdict & ~VERDICT.signatureOk) | VERDICT.walletDecides : verdict
}

/** Of an order that the exchange signed itself for a server wallet that is a contract. */
export function ownVerdictOf({ maker }: SignedFields, signer: Signer): number {
  const sound = VERDICT.signerIsAccount | VERDICT.signatureOk
  return sameAddress(maker, signer.address)
    ? sound | VERDICT.makerIsAccount | VERDICT.signerIsMaker
    : sound
}

/**
 * Signs an order with the server wallet of a sub-account. Owner, signer and fee are those of the
 * sub-account; so is the maker unless the order names one. Later checks treat it like any order.
 */
export function signForWallet(
  body: OrderBody,
  profile: KnownProfile,
  market: KnownMarket,
  outcome: number,
  isOnChain: boolean,
): SignedBody {
  const { account, key, feeBps, profileId } = profile
  assert(key !== null, 'a server wallet has its key')
  const { maker } = body.order
  const order = {
    ...body.order,
    maker: maker === undefined || maker === ZERO_ADDRESS ? account : maker,
    signer: account,
    feeRateBps: market.feeEnabled ? feeBps : 0,
    // On a chain the account is a contract, and its key signs for it.
    signatureType: isOnChain ? CONTRACT : EOA,
    signature: '',
  }
  const unsigned = { ...body, ownerId: body.ownerId ?? profileId, order }
  const signature = signOrder(signedFields(unsigned, market, outcome), market.separator, key)
  const text = `0x${Buffer.from(signature).toString('hex')}`
  return { ...unsigned, order: { ...order, signature: text } }
}
