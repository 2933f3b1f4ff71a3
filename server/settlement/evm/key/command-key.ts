// A key that the exchange never sees: a command signs with it, for example that of a KMS or HSM.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseAddress, sameAddress } from '../../../crypto/address.ts'
import { recoverAddress, withLowS } from '../../../crypto/ecdsa.ts'
import { ChainTrouble } from '../chain-trouble.ts'
import { evmAddress } from '../evm-address.ts'
import type { ChainKey } from './chain-key.ts'

const WAIT_MS = 30_000
const OUTPUT_BYTES_MAX = 4096
const SIGNATURE = /^(?:0x)?([0-9a-fA-F]{130})$/

/**
 * The command is run by the shell with more words: `address` prints the address of the key, and
 * `sign 0x<32 bytes>` prints r‖s‖v over these bytes as they are; v is 0, 1, 27 or 28.
 */
export async function commandKey(command: string): Promise<ChainKey> {
  const stated = await outputOf(command, ['address'])
  const address = parseAddress(stated)
  if (address === undefined) throw new ChainTrouble(`\`${command} address\` printed no address`)
  const shown = evmAddress(address)
  return {
    address: shown,
    async sign(digest) {
      const hex = `0x${Buffer.from(digest).toString('hex')}`
      const signature = lowSignature(await outputOf(command, ['sign', hex]))
      const signer = signature === undefined ? undefined : recoverAddress(digest, signature)
      if (signature !== undefined && signer !== undefined && sameAddress(signer, address)) {
        return signature
      }
      throw new ChainTrouble(`\`${command} sign\` printed no signature of ${shown}`)
    },
  }
}

/** With s in the lower half of the order, which the chain wants and not every signer makes. */
function lowSignature(printed: string): Uint8Array | undefined {
  const [, hex] = SIGNATURE.exec(printed) ?? []
  if (hex === undefined) return undefined
  const signature = Buffer.from(hex, 'hex')
  if (signature[64] < 27) signature[64] += 27
  return withLowS(signature)
}

/** The first line that the command prints. */
async function outputOf(command: string, words: readonly string[]): Promise<string> {
  const child = spawn('sh', ['-c', `${command} "$@"`, 'sh', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  // The command may have started others, which hold its output.
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of them ended.
    }
  }
  const late = setTimeout(end, WAIT_MS)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part) => {
    if (printed.length <= OUTPUT_BYTES_MAX) printed += part
    if (printed.length > OUTPUT_BYTES_MAX) end()
  })
  const [code, signal] = await once(child, 'close')
  clearTimeout(late)
  if (code === 0) return printed.split('\n', 1)[0].trim()
  const why =
    signal === null ? `ended with ${code}` : `was ended: it took too long, or printed too much`
  throw new ChainTrouble(`\`${command} ${words[0]}\` ${why}`)
}
