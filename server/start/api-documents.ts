// The documents of the calls and of the sockets. They differ between exchanges only in a few
// configured values, which are marked by placeholders. The build generates them, because that takes
// a quarter of a second; a run from the sources generates them on demand.

import { existsSync, readFileSync } from 'node:fs'
import { api } from '../api/routes.ts'
import type { Services } from '../api/services.ts'
import { asyncApi } from '../api/streams/schema/asyncapi.ts'
import { type CookieNaming, sessionCookieNames } from '../auth/session-names.ts'
import { asyncapiPage } from '../docs/asyncapi-page.ts'
import { openApi } from '../edge/http/openapi.ts'
import { VERSION } from '../version.ts'

/** The documents from the build, in the folder of the program. */
export const DOCUMENTS_FILE = 'documents.json'
const BUILT = new URL(`./${DOCUMENTS_FILE}`, import.meta.url)

/** JSON texts with the placeholders below instead of configured values. */
interface MarkedDocuments {
  readonly calls: string
  readonly sockets: string
  readonly secureSockets: string
}

const MARKS = {
  headerPrefix: '<header-prefix>',
  cookieName: '<cookie-name>',
  publicUrl: '<public-url>',
  host: '<host>',
} as const

export function markedDocuments(): MarkedDocuments {
  const described = { title: 'outcomex', version: VERSION, ...MARKS }
  const socketsOf = (isSecure: boolean) => JSON.stringify(asyncApi({ ...described, isSecure }))
  return {
    calls: JSON.stringify(openApi(api, described)),
    sockets: socketsOf(false),
    secureSockets: socketsOf(true),
  }
}

const known = once((): MarkedDocuments => {
  return existsSync(BUILT) ? JSON.parse(readFileSync(BUILT, 'utf8')) : markedDocuments()
})

type Value = readonly [mark: string, value: string]

/** A placeholder is inside a JSON string. */
const escaped = (value: string) => JSON.stringify(value).slice(1, -1)

function filled(text: string, values: readonly Value[]): string {
  return values.reduce((all, [mark, value]) => all.split(mark).join(escaped(value)), text)
}

/** Host and port as a request names them, so no other text gets into a document. */
const HOST = /^[a-z0-9.:[\]-]{1,255}$/i

interface Configured {
  readonly headerPrefix: string
  readonly naming: CookieNaming
  readonly publicUrl: string | undefined
  /** The public host and port, as far as configured. */
  readonly host: string
}

/**
 * The documents of one exchange, encoded once. Without a public URL, the sockets are at the address
 * of the document: the server may listen on all addresses, or on any port.
 */
export function apiDocuments({
  headerPrefix,
  naming,
  publicUrl,
  host,
}: Configured): Pick<Services, 'openApi' | 'asyncApi' | 'asyncApiPage'> {
  const [cookieName] = sessionCookieNames(naming)
  const values: Value[] = [
    [MARKS.headerPrefix, headerPrefix],
    [MARKS.cookieName, cookieName],
  ]
  const socketsAt = once(() => {
    const { sockets, secureSockets } = known()
    const text = filled(naming.isSecure ? secureSockets : sockets, values)
    const parts = text.split(MARKS.host)
    return (at: string) => parts.join(escaped(at))
  })
  const configured = once(() => Buffer.from(socketsAt()(host)))
  return {
    openApi: once(() => {
      return Buffer.from(filled(known().calls, [...values, [MARKS.publicUrl, publicUrl ?? '/']]))
    }),
    asyncApi: (requested) => {
      const isFixed = publicUrl !== undefined || !HOST.test(requested)
      return isFixed ? configured() : Buffer.from(socketsAt()(requested))
    },
    asyncApiPage: once(() => asyncapiPage(configured().toString())),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
