// The key of an account of the chain. No message contains it.

import { readFileSync } from 'node:fs'
import type { Address } from 'viem'
import { codeOf } from '../../../../engine/domain/error-code.ts'
import { addressOfKey, signHash } from '../../../crypto/ecdsa.ts'
import { keccakReady } from '../../../crypto/keccak.ts'
import type { KeySource } from '../../../settings/chain-settings.ts'
import { ChainTrouble } from '../chain-trouble.ts'
import { evmAddress } from '../evm-address.ts'
import type { ChainKey } from './chain-key.ts'
import { commandKey } from './command-key.ts'
import { openKeystore } from './keystore.ts'

const KEY = /^(?:0x)?[0-9a-fA-F]{64}$/
const PASSWORD_END = /\r?\n$/

/** Throws `ChainTrouble` when there is no usable key. */
export async function openKey(source: KeySource): Promise<ChainKey> {
  await keccakReady
  if (source.kind === 'command') return commandKey(source.command)
  const { file, passwordFile } = source
  const text = textOf(file).trim()
  const key = KEY.test(text)
    ? Buffer.from(text.slice(-64), 'hex')
    : openKeystore(file, text, passwordOf(file, passwordFile))
  return {
    address: addressIn(file, key),
    sign: (digest) => Promise.resolve(signHash(digest, key)),
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ChainTrouble(`${file} cannot be read: ${codeOf(error)}`)
  }
}

function passwordOf(file: string, passwordFile: string | undefined): string {
  if (passwordFile !== undefined) return textOf(passwordFile).replace(PASSWORD_END, '')
  throw new ChainTrouble(
    `${file} contains no key of 64 hex digits; if it is a keystore, give --chain-key-password too`,
  )
}

function addressIn(file: string, key: Uint8Array): Address {
  try {
    return evmAddress(addressOfKey(key))
  } catch {
    throw new ChainTrouble(`${file} contains a number that is no private key of secp256k1`)
  }
}
