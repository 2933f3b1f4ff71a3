import { privateKeyToAccount } from 'viem/accounts'
import { accountOf } from '../../server/edge/intake/order/client-order.ts'
import { keyOf, type Trader } from '../support/exchange-client.ts'
import { plainCall } from './socket.ts'
import type { Role, WalletFlaw } from './speaker.ts'

// What wallets sign in a fuzzed exchange, rightly or not.

/** The query of the message to sign: the message for a sub-account names its one partner. */
export function messageQuery(route: string, partner: Trader | undefined): string {
  if (partner === undefined || !route.endsWith('/partner-accounts')) return ''
  return `?purpose=sub-account&partner=${partner.profileId}`
}

/** The headers by which the wallet of a key proves its address. */
export async function proofOf(
  port: number,
  key: Uint8Array,
  query = '',
): Promise<[string, string][]> {
  const target = `/auth/signing-message${query}`
  const given = await plainCall(port, { method: 'GET', target, headers: [] })
  const message = String(JSON.parse(given.text))
  const wallet = privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`)
  return [
    ['x-account', wallet.address],
    ['x-signing-message', message],
    ['x-signature', await wallet.signMessage({ message })],
  ]
}

/** The same headers, made wrong by the flaw. */
export async function walletHeaders(
  port: number,
  { of, flaw }: { readonly of: Role | number; readonly flaw: WalletFlaw },
  query: string,
): Promise<[string, string][]> {
  const key = keyOf(typeof of === 'number' ? `fuzz wallet ${of}` : `fuzz ${of}`)
  const proof = await proofOf(port, key, query)
  const other = accountOf(keyOf(of === 'owner' ? 'fuzz somebody else' : 'fuzz owner'))
  return proof.map(([name, value]) => {
    if (flaw === 'account' && name === 'x-account') return [name, other]
    if (flaw === 'message' && name === 'x-signing-message') return [name, `${value.slice(0, -1)}!`]
    if (flaw === 'signature' && name === 'x-signature') return [name, `0x${'1'.repeat(130)}`]
    return [name, value]
  })
}
