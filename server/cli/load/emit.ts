// Signed requests in a file, for autocannon and other clients.

import { VERSION } from '../../version.ts'
import { type Request, signedRequest } from '../client.ts'
import type { LoadLine } from './load-line.ts'
import type { Venue } from './load-plan.ts'
import { signOrder } from './signed-orders.ts'

const HAR_ENDING = '.har'

/** One entry of a HAR file; it holds no reply, because none was received. */
function entryOf(baseUrl: string, { method, path, headers, body }: Request) {
  const named = Object.entries(headers).map(([name, value]) => ({ name, value }))
  return {
    startedDateTime: new Date().toISOString(),
    time: 0,
    request: {
      method,
      url: baseUrl + path,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: named,
      queryString: [],
      postData: { mimeType: 'application/json', text: body },
      headersSize: -1,
      bodySize: Buffer.byteLength(body),
    },
    response: {
      status: 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: '' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  }
}

function harOf(baseUrl: string, requests: readonly Request[]) {
  const entries = requests.map((each) => entryOf(baseUrl, each))
  return { log: { version: '1.2', creator: { name: 'outcomex', version: VERSION }, entries } }
}

/** `count` orders that rest or match, by their weights; a cancel needs the id of a reply. */
export function requestsText(
  { url, emitFile, mix }: LoadLine,
  venue: Venue,
  count: number,
): string {
  const takePart = mix.take / (mix.take + mix.add + mix.replace)
  const requests = Array.from({ length: count }, (_, index) => {
    const isTake = Math.floor((index + 1) * takePart) > Math.floor(index * takePart)
    const { trader, body } = signOrder(isTake ? 'take' : 'add', venue)
    const call = { method: 'POST', path: '/orders', body }
    return signedRequest(call, venue.traders[trader], Date.now())
  })
  return JSON.stringify(emitFile?.endsWith(HAR_ENDING) ? harOf(url, requests) : requests)
}
