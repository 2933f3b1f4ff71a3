// Checks whether a server can listen, before anything is opened or created. The HTTP library only
// reports that it could not listen, and it silently accepts some invalid certificates.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, isIPv6 } from 'node:net'
import { createSecureContext } from 'node:tls'
import { assert } from '../../../../../engine/domain/assert.ts'
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

/** A sentence stating why a server cannot listen there and what to do; null when it can. */
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

/** A port that is free now. */
export async function freePort(host: string): Promise<number> {
  const server = createServer()
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  assert(address !== null && typeof address === 'object', 'a server that listens has a port')
  server.close()
  await once(server, 'close')
  return address.port
}

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; stop the other program or use another port (0 picks a free one)',
  EADDRNOTAVAIL: 'this machine has no such address; use one of its own, or 0.0.0.0 for all',
  EACCES: 'this user may not use the port; use one above 1023',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name lookup failed',
  EAFNOSUPPORT: 'this machine does not support that kind of address',
  EINVAL: 'the address is invalid',
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

/** A sentence stating what is wrong with a certificate and its key; null when they are valid. */
export function tlsProblem({ certFile, keyFile }: TlsFiles): string | null {
  try {
    const cert = textOf(certFile, `certificate ${certFile}`)
    const key = textOf(keyFile, `key ${keyFile}`)
    if (!CERTIFICATE.test(cert)) return `${certFile} of --tls-cert contains no PEM certificate`
    if (!PRIVATE_KEY.test(key)) return `${keyFile} of --tls-key contains no PEM private key`
    createSecureContext({ cert, key })
    return null
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (!/mismatch/i.test(why)) return `--tls-cert and --tls-key cannot be used: ${why}`
    return `the key ${keyFile} does not match the certificate ${certFile}`
  }
}
