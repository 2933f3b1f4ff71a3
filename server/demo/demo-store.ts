// demo.json in the data folder: the admin token and the traders of a demo.

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { boolean, integer, text } from '../edge/http/schema/scalars.ts'
import { compile, list, openObject, optional } from '../edge/http/schema/schema.ts'
import type { DemoTrader } from './demo-client.ts'

export interface DemoFile {
  readonly baseUrl: string
  /** Address of the admin API when it differs from `baseUrl`. */
  readonly operatorsUrl?: string
  readonly adminToken: string
  /** Empty while the exchange is still being filled. */
  readonly traders: readonly DemoTrader[]
  /** Whether the people, their names and their follows were created once. */
  readonly hasCompany?: boolean
}

const knownTrader = openObject({
  profileId: integer(1),
  account: text(),
  privateKey: text(),
  tokenId: text(),
  secret: text(),
})
const knownDemo = compile(
  openObject({
    baseUrl: text(),
    adminToken: text(),
    traders: list(knownTrader),
    hasCompany: optional(boolean()),
  }),
)

const pathOf = (dataDir: string) => join(dataDir, 'demo.json')

/** Writes the whole file or nothing, even when the process is killed or the power fails. */
export function writeDemo(dataDir: string, demo: DemoFile): void {
  const path = pathOf(dataDir)
  const draft = `${path}.new`
  writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, path)
  const folder = openSync(dataDir, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Null when the folder has no demo.json. */
export function readDemo(dataDir: string): DemoFile | 'damaged' | null {
  const path = pathOf(dataDir)
  if (!existsSync(path)) return null
  try {
    const demo: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return knownDemo.holds(demo) ? demo : 'damaged'
  } catch {
    return 'damaged'
  }
}

/** The traders of the demo in a folder: none until all are created, then always the same. */
export function demoTradersIn(dataDir: string): () => readonly DemoTrader[] {
  let known: readonly DemoTrader[] = []
  return () => {
    if (known.length > 0) return known
    const demo = readDemo(dataDir)
    if (demo !== null && demo !== 'damaged') known = demo.traders
    return known
  }
}
