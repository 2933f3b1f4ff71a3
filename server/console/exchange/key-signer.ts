// Signs with a private key in the page: for the traders of the demo alone.

import { privateKeyToAccount } from 'viem/accounts'
import type { Signer } from './shapes.ts'

function isHex(text: string): text is `0x${string}` {
  return text.startsWith('0x')
}

export function signerOfKey(privateKey: string): Signer {
  if (!isHex(privateKey)) throw new Error('The demo gave no key.')
  const key = privateKeyToAccount(privateKey)
  return {
    account: key.address,
    signText: (message) => key.signMessage({ message }),
    signTyped: ({ domain, types, primaryType, message }) =>
      key.signTypedData({ domain, types, primaryType, message }),
  }
}
