import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import {
  badValues,
  DocumentClient,
  goodValues,
  type Operation,
  type Parameter,
} from '../support/document-client.ts'
import { at } from '../support/json-path.ts'
import { isTree } from '../support/openapi-tree.ts'
import { ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

// A client that is written from GET /openapi.json alone reads all of the demo exchange. It takes
// the paths, the parameters and their bounds from the document, and names from earlier replies.

let server: ServerProcess
let client: DocumentClient
/** Names of things of this exchange, by the parameter that takes them. */
const names = new Map<string, unknown[]>()

before(async () => {
  const dataDir = newFolder()
  const args = ['--pack-rest', '2', '--market-threads', 'auto']
  server = await ServerProcess.start({ dataDir, demo: true, args })
  const demo: unknown = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  await makeProperty(demo)
  await countObligations(demo)
  const reply = await fetch(`${server.baseUrl}/openapi.json`)
  client = new DocumentClient(server.baseUrl, await reply.json())
  await learnNames(demo)
})
after(() => server.signal('SIGKILL'))

/** The demo has no property of its own. */
async function makeProperty(demo: unknown): Promise<void> {
  const options = [{ value: 'day', label: 'A day' }]
  const made = await fetch(`${server.baseUrl}/admin/property-keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${at(demo, 'adminToken')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Length', slug: 'length', options }),
  })
  assert.equal(made.status, 201, await made.text())
}

/** The demo counts what it owes after a minute. */
async function countObligations(demo: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${at(demo, 'adminToken')}` }
  await fetch(`${server.baseUrl}/admin/solvency`, { method: 'POST', headers })
  await until(async () => {
    const counted = await fetch(`${server.baseUrl}/solvency`)
    await counted.arrayBuffer()
    return counted.status === 200
  })
}

const operationOf = (path: string): Operation => {
  const found = client.publicReads().find((each) => each.path === path)
  assert.ok(found !== undefined, `${path} is a public read`)
  return found
}

async function read(path: string, values: Record<string, unknown> = {}): Promise<unknown> {
  const { status, body } = await client.call(operationOf(path), new Map(Object.entries(values)))
  assert.equal(status, 200, path)
  return body
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Every value of a field, at every depth. */
function fieldsIn(node: unknown, name: string): unknown[] {
  if (Array.isArray(node)) return node.flatMap((each) => fieldsIn(each, name))
  if (!isTree(node)) return []
  return Object.entries(node).flatMap(([key, each]) =>
    key === name && typeof each === 'string' ? [each] : fieldsIn(each, name),
  )
}

/** The demo makes its first pack as soon as two outcomes are quoted. */
async function firstPack(): Promise<unknown> {
  let id: unknown
  await until(async () => {
    const reply = await fetch(`${server.baseUrl}/parlay/positions`)
    id = at(await reply.json(), 'data', 0, 'id')
    return id !== undefined
  })
  return id
}

/** The page of the console names the files that it loads. */
async function filesOfPage(): Promise<unknown[]> {
  const page = await (await fetch(server.baseUrl)).text()
  return [...page.matchAll(/\/assets\/([\w.-]+)/g)].map(([, name]) => name)
}

async function learnNames(demo: unknown): Promise<void> {
  const entries = listOf(await read('/markets/active/slugs'))
  const group = entries.find((entry) => at(entry, 'markets') !== undefined)
  const lone = entries.find((entry) => at(entry, 'markets') === undefined)
  const series = { symbol: 'BTC', frequency: 'minutely', subFrequency: 'minutes_5' }
  const slot = at(await read('/markets/timeline', series), 'current', 'slug')
  const slugs = [at(lone, 'slug'), at(group, 'slug'), at(group, 'markets', 0, 'slug'), slot]
  names.set('slug', slugs)
  names.set('addressOrSlug', slugs)
  names.set('slugs', [slugs.slice(0, 3).join(',')])
  const navigation = await read('/navigation')
  names.set('path', fieldsIn(navigation, 'path'))
  const keys = listOf(await read('/property-keys'))
  const curated = at(await read('/parlay/packs'), 0, 'id')
  const ids = [at(navigation, 0, 'id'), at(keys, 0, 'id'), await firstPack(), curated]
  names.set('id', ids)
  const counts = at(await read('/markets/categories/count'), 'category')
  names.set('categoryId', isTree(counts) ? Object.keys(counts).slice(0, 2) : [])
  names.set('account', [at(demo, 'traders', 0, 'account')])
  names.set('file', await filesOfPage())
  for (const [name, values] of names) {
    assert.ok(values.length > 0 && !values.includes(undefined), `the demo has a ${name}`)
  }
}

/** Each way to fill the parameters that must be there, and the whole example. */
function neededOf(parameters: readonly Parameter[]): Map<string, unknown>[] {
  let ways = [new Map<string, unknown>()]
  for (const parameter of parameters) {
    const { name, isRequired, example, place } = parameter
    if (!isRequired) continue
    assert.ok(example !== undefined, `${name}, which must be given, has an example`)
    const values =
      place === 'path' || names.has(name) ? [...(names.get(name) ?? []), example] : [example]
    ways = ways.flatMap((way) => values.map((value) => new Map(way).set(name, value)))
  }
  const examples = parameters.filter(({ example }) => example !== undefined)
  return [...ways, new Map(examples.map(({ name, example }) => [name, example]))]
}

test('every public read answers as the document says, with names from other replies', async () => {
  for (const operation of client.publicReads()) {
    const statuses: number[] = []
    for (const way of neededOf(operation.parameters)) {
      const { status, etag } = await client.call(operation, way)
      assert.ok(status < 500, operation.path)
      statuses.push(status)
      if (status !== 200 || operation.responses[304] === undefined) continue
      assert.ok(etag !== null, `${operation.path} has a tag`)
      const { status: again } = await client.call(operation, way, '*')
      assert.equal(again, 304, operation.path)
    }
    assert.ok(statuses.includes(200), `${operation.path} gives ${statuses.join(', ')}`)
  }
})

/** The first way that finds something. */
async function goodWay(operation: Operation): Promise<Map<string, unknown>> {
  for (const way of neededOf(operation.parameters)) {
    if ((await client.call(operation, way)).status === 200) return way
  }
  return assert.fail(operation.path)
}

/** Whether these may be given depends on other parameters, as their sentences say. */
const DEPENDENT = new Set(['purpose', 'partner', 'from', 'to', 'subFrequency', 'scope'])

test('every value that the document allows is answered, every other is refused', async () => {
  let taken = 0
  let refused = 0
  for (const operation of client.publicReads()) {
    const way = await goodWay(operation)
    for (const parameter of operation.parameters.filter(({ place }) => place !== 'header')) {
      for (const value of parameter.isRequired ? [] : goodValues(parameter)) {
        const { status } = await client.call(operation, new Map(way).set(parameter.name, value))
        const isTaken = status === 200 || (DEPENDENT.has(parameter.name) && status < 500)
        assert.ok(isTaken, `${operation.path} ${parameter.name}=${value} gives ${status}`)
        taken++
      }
      for (const value of badValues(parameter)) {
        // An empty part of a path is another path.
        if (parameter.place === 'path' && value === '') continue
        const { status } = await client.call(operation, new Map(way).set(parameter.name, value))
        const isRefused = status === 400 || (parameter.place === 'path' && status === 404)
        assert.ok(isRefused, `${operation.path} ${parameter.name}=${value} gives ${status}`)
        refused++
      }
    }
    const { status } = await client.call(operation, new Map(way).set('nothing', 1))
    assert.equal(status, 400, `${operation.path} refuses an undocumented parameter`)
  }
  assert.ok(taken > 60 && refused > 80, `${taken} values were taken, ${refused} refused`)
})
