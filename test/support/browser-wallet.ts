import type { BrowserContext } from 'playwright-core'
import { hexToString, isHex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// A wallet as a browser offers it to pages (EIP-1193). It holds a real key and signs with viem:
// only the questions to its owner are left out. Its requests are kept.

interface Requested {
  readonly method: string
  readonly params?: readonly unknown[]
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a wallet is given texts')
  return value
}

/** Gives every page of the context a wallet with this key. */
export async function giveWallet(context: BrowserContext, key: Uint8Array): Promise<Requested[]> {
  const owner = privateKeyToAccount(toHex(key))
  const requested: Requested[] = []
  const answer = async ({ method, params = [] }: Requested): Promise<unknown> => {
    requested.push({ method, params })
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [owner.address]
    if (method === 'personal_sign') {
      const given = textOf(params[0])
      return owner.signMessage({ message: isHex(given) ? hexToString(given) : given })
    }
    if (method === 'eth_signTypedData_v4') return owner.signTypedData(JSON.parse(textOf(params[1])))
    throw new Error(`the wallet does not know ${method}`)
  }
  await context.exposeFunction('askTestWallet', answer)
  const request = '{ request: (call) => window.askTestWallet(call) }'
  await context.addInitScript(`Object.defineProperty(window, 'ethereum', { value: ${request} })`)
  return requested
}
