// Where a log is. Everything that starts reads this, so the library is not imported here.

/** The servers of a log, and how to log in. */
export interface LogAddress {
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly user: string
  readonly password: string | undefined
  readonly database: string
  /** Whether the connection is encrypted, and whether the certificate is checked. */
  readonly tls: 'disable' | 'require' | 'verify-full'
}

const DEFAULT_PORT = 5432
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/]*)@)?([^/?]+)\/([^/?]+)(?:\?(.*))?$/
const HOST = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/
const TLS = { disable: 'disable', require: 'require', 'verify-full': 'verify-full' } as const

/**
 * Reads `postgres://user:password@a:5432,b/database?sslmode=require`. Throws a sentence for
 * anything else.
 */
export function parseLogAddress(text: string): LogAddress {
  const found = FORM.exec(text)
  if (found === null) {
    throw new LogAddressError('the form is postgres://user:password@host,host/database')
  }
  const [, login = '', hosts, database, query = ''] = found
  const [user = '', ...password] = login.split(':')
  const parameters = new URLSearchParams(query)
  for (const name of parameters.keys()) {
    if (name !== 'sslmode') throw new LogAddressError(`the parameter ${name} is unknown`)
  }
  const mode = parameters.get('sslmode') ?? 'disable'
  const tls = Object.entries(TLS).find(([name]) => name === mode)?.[1]
  if (tls === undefined) {
    throw new LogAddressError(`sslmode is one of ${Object.keys(TLS).join(', ')}`)
  }
  return {
    hosts: hosts.split(',').map(hostOf),
    user: decodeURIComponent(user) || 'outcomex',
    password: password.length === 0 ? undefined : decodeURIComponent(password.join(':')),
    database: decodeURIComponent(database),
    tls,
  }
}

/** The servers of a log as text; no password is in it. */
export function serversOf({ hosts }: LogAddress): string {
  return hosts.map(({ host, port }) => `${host}:${port}`).join(', ')
}

function hostOf(text: string): LogAddress['hosts'][number] {
  const [, host, port] = HOST.exec(text) ?? []
  if (host === undefined) throw new LogAddressError(`${text} is not a host with a port`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? DEFAULT_PORT) }
}

export class LogAddressError extends Error {
  override name = 'LogAddressError'
}

/** The log cannot be reached now, or the connection broke: the outcome of a call is unknown. */
export class LogUnreachable extends Error {
  override name = 'LogUnreachable'
}
