// The only file that loads the HTTP library. The library reads the maximum size of a request head
// from its environment, once. A static import would load it before any line of a bundle.

import type * as Library from 'uWebSockets.js'
import { assert } from '../../../../engine/domain/assert.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'

assert(
  LIMITS.querySlugsCharactersMax < LIMITS.headBytesMax / 1.5,
  'the longest query fits a head, together with headers',
)
process.env.UWS_HTTP_MAX_HEADERS_SIZE = `${LIMITS.headBytesMax}`

const library = await import('uWebSockets.js')

/** An operator may install the upstream build: CommonJS with all exports under one name. */
export const uWS: typeof Library = Reflect.get(library, 'default') ?? library
