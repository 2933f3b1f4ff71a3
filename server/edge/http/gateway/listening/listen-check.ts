// Checks whether a server can listen, before anything is opened or made. The HTTP library says only
// that it could not listen, and it accepts some wrong certificates without a word.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, isIPv6 } from 'node:net'
import { createSecureContext } from 'node:tls'
import { codeOf } from '../../../../../engine/domain/error-code.ts'

export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** The origin of an address, with an IPv6 address in brackets. */
export function originOf(tls: TlsFiles | undefined, host: string, port: number): string {
  const name = isIPv6(host) ? `[${host}]` : host
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}`
}

/** Says in a sentence why a server cannot listen there and what to do; null when it can. */
export async function addressProblem(host: string, port: number): Promise<string | null> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return null
  } catch (error) {
    const name = isIPv6(host) ? `[${host}]` : host
    return `cannot listen on ${name}:${port}: ${CAUSES[codeOf(error)] ?? String(error)}`
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has the port; stop it, or name another port (0 picks a free one)',
  EADDRNOTAVAIL: 'this machine has no such address; name one of its own, or 0.0.0.0 for all',
  EACCES: 'this user may not use the port; name one above 1023',
  ENOTFOUND: 'no address has that name',
  EAI_AGAIN: 'the name could not be looked up',
  EAFNOSUPPORT: 'this machine does not speak that kind of address',
  EINVAL: 'that is no address to listen on',
}

function textOf(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`the ${what} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----/
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/

/** Says in a sentence what is wrong with a certificate and its key; null when nothing is. */
export function tlsProblem({ certFile, keyFile }: TlsFiles): string | null {
  try {
    const cert = textOf(certFile, `certificate ${certFile}`)
    const key = textOf(keyFile, `key ${keyFile}`)
    if (!CERTIFICATE.test(cert)) return `${certFile} of --tls-cert holds no certificate in PEM form`
    if (!PRIVATE_KEY.test(key)) return `${keyFile} of --tls-key holds no private key in PEM form`
    createSecureContext({ cert, key })
    return null
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (!/mismatch/i.test(why)) return `--tls-cert and --tls-key cannot be used: ${why}`
    return `the key ${keyFile} is not the one of the certificate ${certFile}`
  }
}
