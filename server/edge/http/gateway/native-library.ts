// Loads the HTTP library; only this file does. The library reads from its environment, once, how
// long the head of a request may be. A static import would load it before any line of a bundle.

import type * as Library from 'uWebSockets.js'
import { assert } from '../../../../engine/domain/assert.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'

assert(
  LIMITS.querySlugsCharactersMax < LIMITS.headBytesMax / 1.5,
  'the longest query fits a head, with room for headers',
)
process.env.UWS_HTTP_MAX_HEADERS_SIZE = `${LIMITS.headBytesMax}`

const library = await import('uWebSockets.js')

/** An operator may install upstream's build: that is CommonJS, with all exports under one name. */
export const uWS: typeof Library = Reflect.get(library, 'default') ?? library
