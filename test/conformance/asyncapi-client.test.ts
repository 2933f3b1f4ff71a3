import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { io, type Socket } from 'socket.io-client'
import { newFolder } from '../support/data-folder.ts'
import { SchemaChecks } from '../support/document-client.ts'
import { at } from '../support/json-path.ts'
import { isTree } from '../support/openapi-tree.ts'
import { ServerProcess } from '../support/server-process.ts'

// A client that is written from GET /asyncapi.json alone reads the demo exchange. It takes the
// address, the events and the payloads from the document; each frame must be one that the document
// names for a subscription that it made.

/** What the bots of the demo cause within seconds. */
const SOON = ['orderbookUpdate', 'orderbookDelta', 'oraclePriceData', 'trade', 'system']
let server: ServerProcess
let document: unknown
let checks: SchemaChecks
let slugs: string[]

before(async () => {
  server = await ServerProcess.start({ dataDir: newFolder(), demo: true })
  const read = async (path: string) => (await fetch(server.baseUrl + path)).json()
  document = await read('/asyncapi.json')
  checks = new SchemaChecks(document)
  const entries = await read('/markets/active/slugs')
  assert.ok(Array.isArray(entries))
  const alone = entries.filter((entry) => at(entry, 'markets') === undefined)
  slugs = alone.map((entry) => String(at(entry, 'slug')))
})
after(() => server.signal('SIGKILL'))

const partsOf = (node: unknown): [string, unknown][] => (isTree(node) ? Object.entries(node) : [])
const nameIn = (reference: unknown) => String(at(reference, '$ref')).split('/').at(-1) ?? ''
const messageOf = (name: string) => at(document, 'components', 'messages', name)

function messagesOf(operation: unknown): string[] {
  const messages = at(operation, 'messages')
  return Array.isArray(messages) ? messages.map(nameIn) : []
}

/** The events that clients may send without a proof. */
function openRequests(): string[] {
  return partsOf(at(document, 'operations'))
    .filter(([, each]) => at(each, 'action') === 'receive' && at(each, 'security') === undefined)
    .flatMap(([, each]) => messagesOf(each))
}

class DocumentReader {
  readonly received = new Map<string, unknown[]>()
  readonly socket: Socket
  #wake: () => void = () => {}

  constructor() {
    const [[, place]] = partsOf(at(document, 'servers'))
    const [[, channel]] = partsOf(at(document, 'channels'))
    const protocol = at(place, 'protocol') === 'wss' ? 'https' : 'http'
    this.socket = io(`${protocol}://${at(place, 'host')}${at(channel, 'address')}`, {
      path: String(at(place, 'pathname')),
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    })
    this.socket.onAny((name: string, payload: unknown) => {
      this.received.set(name, [...(this.received.get(name) ?? []), payload])
      this.#wake()
    })
  }

  /** Sends a payload that its own schema allows. */
  request(name: string, payload: unknown): void {
    checks.assertHolds(at(messageOf(name), 'payload'), payload, name)
    this.socket.emit(name, payload)
  }

  async receives(name: string, count = 1): Promise<unknown[]> {
    for (;;) {
      const frames = this.received.get(name) ?? []
      if (frames.length >= count) return frames
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Each frame is one of these events and has their schema. */
  assertReported(names: readonly string[]): void {
    for (const [name, payloads] of this.received) {
      assert.ok(names.includes(name), `${name} is documented`)
      for (const payload of payloads) {
        checks.assertHolds(at(messageOf(name), 'payload'), payload, name)
      }
    }
  }
}

/** What a client receives that made this request. */
const answersTo = (request: string) =>
  [`receive_${request}`, 'receive_answers'].flatMap((name) =>
    messagesOf(at(document, 'operations', name)),
  )

/** The example of a request with names of this exchange, and every choice that its schema gives. */
function payloadsOf(request: string): object[] {
  const node = messageOf(request)
  const example = at(node, 'examples', 0, 'payload')
  const base = isTree(example) ? { ...example } : {}
  if ('marketSlugs' in base) base.marketSlugs = slugs.slice(0, 100)
  const choices = partsOf(at(node, 'payload', 'properties')).flatMap(([name, schema]) => {
    const words = at(schema, 'enum')
    return Array.isArray(words) ? words.map((word) => ({ ...base, [name]: word })) : []
  })
  return [base, ...choices]
}

test('every public subscription of the document is taken, and its frames match it', async () => {
  const readers: DocumentReader[] = []
  const requests = openRequests()
  assert.ok(requests.includes('subscribe_market_prices') && requests.includes('subscribe_trades'))
  for (const request of requests.filter((name) => name !== 'unsubscribe')) {
    for (const payload of payloadsOf(request)) {
      const reader = new DocumentReader()
      readers.push(reader)
      reader.request(request, payload)
      await reader.receives('system')
      reader.assertReported(answersTo(request))
    }
  }
  const receivedBySome = (name: string) => Promise.race(readers.map((each) => each.receives(name)))
  for (const name of SOON) await receivedBySome(name)
  const all = openRequests().flatMap(answersTo)
  for (const reader of readers) {
    reader.assertReported(all)
    reader.socket.disconnect()
  }
})

test('a subscription ends with an acknowledgement, as the document says', async () => {
  const reader = new DocumentReader()
  for (const payload of payloadsOf('subscribe_market_prices')) {
    reader.request('subscribe_market_prices', payload)
  }
  await reader.receives('orderbookUpdate')
  const [acknowledged] = messagesOf(at(document, 'operations', 'unsubscribe', 'reply'))
  const schema = at(messageOf(acknowledged), 'payload')
  for (const channel of ['subscribe_market_prices', 'no_such_channel']) {
    const requested = { ...payloadsOf('unsubscribe')[0], channel }
    checks.assertHolds(at(messageOf('unsubscribe'), 'payload'), requested, 'unsubscribe')
    const answer: unknown = await reader.socket.timeout(5000).emitWithAck('unsubscribe', requested)
    checks.assertHolds(schema, answer, 'the acknowledgement')
    assert.equal(at(answer, 'error') === undefined, channel !== 'no_such_channel')
  }
  reader.socket.disconnect()
})

test('a request that the document forbids gives an exception of its schema', async () => {
  const reader = new DocumentReader()
  const bad: [string, unknown][] = [
    ['subscribe_market_prices', { marketSlugs: ['never-there'] }],
    ['subscribe_market_prices', { marketSlugs: 7 }],
    ['subscribe_trades', { marketSlugs: [''] }],
    ['subscribe_order_events', {}],
    ['no_such_event', {}],
  ]
  for (const [name, payload] of bad) reader.socket.emit(name, payload)
  await reader.receives('exception', bad.length)
  reader.assertReported(['exception'])
  reader.socket.disconnect()
})
