import { assert } from '../../../../engine/domain/assert.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { MS_PER_SEC, type TimeMs } from '../../../../engine/domain/units.ts'
import { formatAddress, sameAddress } from '../../../crypto/address.ts'
import { recoverAddress, type Signer, signatureFault } from '../../../crypto/ecdsa.ts'
import { hashOrder, type SignedFields } from '../../../crypto/eip712.ts'
import { VERDICT } from '../../../messages/intake-layout.ts'
import type { OrderFlaw } from '../../../messages/intake-result.ts'
import type { Extra } from '../../../messages/refusal.ts'
import type { Directory, KnownMarket } from '../directory.ts'
import { ConfusableDomains, type OrderDomain, orderDomain } from './confusable-domains.ts'
import { isFactoryType } from './order-signature.ts'

// Explains why an order does not belong to its owner. The sequencer refuses such an order at one of
// the gates of owner, signer and signature, unless an earlier gate refuses it; the intake prepares
// the message of that gate. Recoveries beyond the first are limited in rate, so that wrong
// signatures cost other orders next to nothing (design §11).

/** An order that was read, and its sender. */
export interface CheckedOrder {
  readonly fields: SignedFields
  readonly signature: Uint8Array
  readonly hash: Uint8Array
  readonly market: KnownMarket
  readonly ownerId: ProfileId
  readonly actor: { readonly profileId: ProfileId; readonly signer: Signer }
  readonly smartWallet: Uint8Array | null
}

/** Wrong signatures that a thread explains per second: about one percent of its time. */
const EXPLAINED_PER_SEC = 16

const OWNER = 'Profile ID does not match the order owner: '
const SIGNER = 'Signer does not match authenticated profile account: '
const SIGNATURE = 'Invalid signature: '

export class OrderFlaws {
  readonly #directory: Directory
  readonly #confusable: ConfusableDomains
  #second = 0
  #explained = 0

  constructor(directory: Directory) {
    this.#directory = directory
    this.#confusable = new ConfusableDomains(directory)
  }

  /** The flaw of an order of another owner, or of one whose verdict is not sound. */
  of(order: CheckedOrder, verdict: number, nowMs: TimeMs): OrderFlaw {
    const { ownerId, actor } = order
    if (ownerId !== actor.profileId) {
      const why = `ownerId is ${ownerId}, but the order is for profile ${actor.profileId};`
      const message = `${OWNER}${why} send the id of this profile.`
      return { code: 'OWNER_MISMATCH', message }
    }
    if ((verdict & VERDICT.makerIsAccount) === 0) {
      return this.#walletFlaw(order) ?? makerFlaw(order)
    }
    if ((verdict & VERDICT.signerIsAccount) === 0) {
      const message = `${SIGNER}signer must be ${formatAddress(actor.signer.address)}.`
      return { code: 'SIGNER_MISMATCH', message }
    }
    if ((verdict & VERDICT.walletDecides) !== 0) return this.#refusedByWallet(order)
    return this.#signatureFlaw(order, nowMs)
  }

  /** Null unless the contract of the chain takes another wallet than that of the profile. */
  #walletFlaw({ fields, actor, smartWallet }: CheckedOrder): OrderFlaw | null {
    const { signatureType } = fields
    const { wallets = null } = this.#directory.chain ?? {}
    if (this.#directory.chain !== null && signatureType === 0 && smartWallet !== null) {
      const own = formatAddress(smartWallet)
      const message =
        `${OWNER}this profile trades with its smart wallet; send the maker ${own} and sign with ` +
        'signatureType 1, 2 or 3.'
      return { code: 'OWNER_MISMATCH', message }
    }
    if (wallets === null || !isFactoryType(signatureType)) return null
    const made = wallets.of(actor.signer.address)
    if (smartWallet !== null && sameAddress(smartWallet, made)) return null
    const message =
      `${OWNER}with signatureType ${signatureType} the maker must be ${formatAddress(made)}, the ` +
      'wallet that the factory of the exchange contract makes for the account, and this profile ' +
      'does not have it; let an operator make it the smartWallet of the profile, or sign with ' +
      'signatureType 0 or 3.'
    return { code: 'OWNER_MISMATCH', message }
  }

  /** The refusal of a wallet that does not accept the signature. */
  #refusedByWallet({ fields, hash, market }: CheckedOrder): OrderFlaw {
    const domain = orderDomain(this.#directory.domain, market.exchangeAddress)
    const message =
      `${SIGNATURE}the wallet ${formatAddress(fields.maker)} does not accept it on chain ` +
      `${domain.chainId}: there is no contract, or its isValidSignature for the hash ` +
      `0x${Buffer.from(hash).toString('hex')} reverts, uses too much gas or returns another ` +
      'value than 0x1626ba7e. Sign as the wallet requires, in 65 bytes.'
    return { code: 'SIGNATURE_INVALID', message, domain }
  }

  #signatureFlaw(order: CheckedOrder, nowMs: TimeMs): OrderFlaw {
    const { fields, signature, market, actor } = order
    const domain = orderDomain(this.#directory.domain, market.exchangeAddress)
    const because = (message: string, more: Extra = {}): OrderFlaw => {
      return { code: 'SIGNATURE_INVALID', message: SIGNATURE + message, domain, ...more }
    }
    const form = formFlaw(signature)
    if (form !== null) return because(form)
    const right = domainWords(domain)
    const signer = formatAddress(actor.signer.address)
    const stated = `it does not recover to the signer ${signer} for this market`
    if (!this.#mayExplain(nowMs)) {
      return because(`${stated}. It was verified under ${right}. Sign exactly what you send.`)
    }
    const near = this.#confusable.of(market.exchangeAddress)
    const signed = near.find(({ separator }) => {
      const address = recoverAddress(hashOrder(fields, separator), signature)
      return address !== undefined && sameAddress(address, actor.signer.address)
    })
    if (signed !== undefined) {
      const { differs, domain: signedDomain } = signed
      const what = `the order was signed for ${differs}; this market requires ${right}.`
      return because(`${what} Sign it for \`domain\` in this reply.`, { signedDomain })
    }
    const recovered = recoverAddress(order.hash, signature)
    const recoveredSigner = recovered === undefined ? null : formatAddress(recovered)
    const to = recoveredSigner ?? 'no account'
    const advice =
      'Sign exactly the fields that you send, for this domain, with the key of the signer.'
    return because(`${stated}: under ${right} it recovers to ${to}. ${advice}`, { recoveredSigner })
  }

  #mayExplain(nowMs: TimeMs): boolean {
    const second = Math.floor(nowMs / MS_PER_SEC)
    if (second !== this.#second) {
      this.#second = second
      this.#explained = 0
    }
    return ++this.#explained <= EXPLAINED_PER_SEC
  }
}

function domainWords({ name, version, chainId, verifyingContract }: OrderDomain): string {
  return (
    `the domain with name "${name}", version ${version}, chainId ${chainId} and ` +
    `verifyingContract ${verifyingContract}`
  )
}

/** The fault of r, s or v, whatever was signed. The exchange contract refuses the same. */
function formFlaw(signature: Uint8Array): string | null {
  const v = signature[signature.length - 1]
  switch (signatureFault(signature)) {
    case null:
      return null
    case 'zero r':
      return 'its r is zero, so it is not a signature; sign the order.'
    case 'zero s':
      return 'its s is zero, so it is not a signature; sign the order.'
    case 'high s':
      return (
        'its s is in the upper half of the curve order, which the exchange contract ' +
        'does not accept; send n - s instead of s, and the other v.'
      )
    case 'v':
      return v < 2
        ? `its v is ${v}, but the exchange contract requires 27 or 28; add 27 to the last byte.`
        : `its v is ${v}, but the exchange contract requires 27 or 28.`
  }
}

/** The flaw of a maker that is neither the account nor its wallet, by signature type. */
function makerFlaw({ fields, actor, smartWallet }: CheckedOrder): OrderFlaw {
  const { signatureType, maker } = fields
  const account = formatAddress(actor.signer.address)
  const because = (message: string): OrderFlaw => {
    return { code: 'OWNER_MISMATCH', message: OWNER + message }
  }
  assert(signatureType <= 3, 'a signature type is 0 to 3')
  if (signatureType !== 0 && smartWallet === null) {
    return because(
      `signatureType ${signatureType} requires a smart wallet, and this profile has ` +
        'no proven smart wallet. Log in once with its x-smart-wallet-signature, or ' +
        `sign with signatureType 0 and the maker ${account}.`,
    )
  }
  const own = signatureType === 0 || smartWallet === null ? account : formatAddress(smartWallet)
  const must = `with signatureType ${signatureType} the maker must be ${own}`
  const isWallet = smartWallet !== null && sameAddress(maker, smartWallet)
  const isOwn = sameAddress(maker, actor.signer.address)
  const isSwapped = signatureType === 0 ? isWallet : isOwn
  if (!isSwapped) return because(`${must}.`)
  const types = signatureType === 0 ? '1, 2 or 3' : '0'
  return because(`${must}; for the maker you sent, sign with signatureType ${types}.`)
}
