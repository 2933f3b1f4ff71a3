// Who signs for the visitor: a wallet in the browser (EIP-1193), or a trader of the demo, whose key
// the demo shows to everybody.

import type { Signer } from './shapes.ts'

interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

function isProvider(value: unknown): value is Provider {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'request') === 'function'
  )
}

/** The wallet that the browser offers to pages; undefined without one. */
export function injectedWallet(): Provider | undefined {
  const found: unknown = Reflect.get(window, 'ethereum')
  return isProvider(found) ? found : undefined
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error('The wallet gave no answer.')
}

/** Requests an account of the wallet. It throws the wallet's error when its owner declines. */
export async function walletSigner(provider: Provider): Promise<Signer> {
  const given = await provider.request({ method: 'eth_requestAccounts' })
  const account = textOf(Array.isArray(given) ? given[0] : undefined)
  return {
    account,
    async signText(text) {
      return textOf(
        await provider.request({ method: 'personal_sign', params: [hexOf(text), account] }),
      )
    },
    async signTyped(data) {
      const params = [account, JSON.stringify(data)]
      return textOf(await provider.request({ method: 'eth_signTypedData_v4', params }))
    },
  }
}

/** The UTF-8 bytes of a text as hex, as wallets and headers take it. */
export function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Signs with a key that the demo gave away. Its library is loaded now and not before. */
export async function keySigner(privateKey: string): Promise<Signer> {
  const { signerOfKey } = await import('./key-signer.ts')
  return signerOfKey(privateKey)
}
