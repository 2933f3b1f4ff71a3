import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../server/api/routes.ts'
import { asyncApi } from '../../../server/api/streams/schema/asyncapi.ts'
import { asyncapiPage } from '../../../server/docs/asyncapi-page.ts'
import { openApi } from '../../../server/edge/http/openapi.ts'
import { apiDocuments } from '../../../server/start/api-documents.ts'
import { VERSION } from '../../../server/version.ts'

/** Without two texts of a megabyte in the message. */
function assertSame(bytes: Uint8Array, text: string): void {
  const got = textOf(bytes)
  let at = 0
  while (at < text.length && got[at] === text[at]) at++
  const shown = (all: string) => all.slice(Math.max(0, at - 40), at + 40)
  assert.equal(shown(got), shown(text))
  assert.ok(got === text)
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

for (const publicUrl of [undefined, 'https://exchange.example/$&"'])
  test(`the documents hold the values of the configuration, with the URL ${publicUrl}`, () => {
    const isSecure = publicUrl !== undefined
    const headerPrefix = 'x-"own"-'
    const naming = { isSecure, names: ['own-cookie', 'older-cookie'] }
    const host = 'exchange.example:3000'
    const served = apiDocuments({ headerPrefix, naming, publicUrl, host })
    const cookieName = isSecure ? '__Host-own-cookie' : 'own-cookie'
    const described = {
      title: 'outcomex',
      version: VERSION,
      headerPrefix,
      cookieName,
    }
    const calls = JSON.stringify(openApi(api, { ...described, publicUrl }))
    assertSame(served.openApi(), calls)
    const socketsAt = (at: string) => JSON.stringify(asyncApi({ ...described, host: at, isSecure }))
    assertSame(served.asyncApi(''), socketsAt(host))
    assertSame(served.asyncApi('a b'), socketsAt(host))
    const requested = isSecure ? host : '127.0.0.1:4000'
    assertSame(served.asyncApi('127.0.0.1:4000'), socketsAt(requested))
    assertSame(served.asyncApiPage(), textOf(asyncapiPage(socketsAt(host))))
  })
