import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DemoTrader } from '../demo/demo-client.ts'
import { compile, list, openObject, optional, schemaOf } from '../edge/http/schema/schema.ts'
import { Failure } from '../shell.ts'

// demo.json: what `serve --demo` leaves in the data folder for its operator.

const text = () => schemaOf<string>({ type: 'string', minLength: 1 })

const demoTrader = openObject({
  profileId: schemaOf<number>({ type: 'integer', minimum: 1 }),
  account: schemaOf<string>({ type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }),
  privateKey: schemaOf<string>({ type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' }),
  tokenId: text(),
  secret: text(),
})

const checker = compile(
  openObject({
    baseUrl: text(),
    operatorsUrl: optional(text()),
    adminToken: text(),
    traders: list(demoTrader),
  }),
)

export interface Demo {
  readonly baseUrl: string
  readonly operatorsUrl?: string | undefined
  readonly adminToken: string
  readonly traders: readonly DemoTrader[]
}

function parse(textOfFile: string): unknown {
  try {
    return JSON.parse(textOfFile)
  } catch {
    return undefined
  }
}

/** The demo of a data folder; undefined when the folder has none. */
export function findDemo(dataDir: string): Demo | undefined {
  const path = join(dataDir, 'demo.json')
  if (!existsSync(path)) return undefined
  const value = parse(readFileSync(path, 'utf8'))
  if (checker.holds(value)) return value
  throw new Failure(`${path} is damaged; stop the server and start it on an empty data folder.`)
}

/** Host and port; null for a text that is no address. */
function placeOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`
}

/** The demo, if it listens there itself: its admin token goes nowhere else. */
export function demoAt(url: string, demo: Demo | undefined): Demo | undefined {
  const own = [demo?.baseUrl, demo?.operatorsUrl].flatMap((each) => {
    return each === undefined ? [] : placeOf(each)
  })
  const place = placeOf(url)
  return place !== null && own.includes(place) ? demo : undefined
}

export function readDemo(dataDir: string): Demo {
  const demo = findDemo(dataDir)
  if (demo !== undefined) return demo
  throw new Failure(
    `There is no demo.json in ${dataDir}: start the demo first with \`make run\`, ` +
      'or name its data folder with --data.',
  )
}
