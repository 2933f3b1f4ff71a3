// The text shown on a terminal when the exchange has started.

import { existsSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { VERSION } from '../version.ts'

export interface BannerParts {
  readonly baseUrl: string
  readonly dataDir: string
  readonly demo: boolean
  /** The log of a cluster. */
  readonly log?: string | undefined
  /** Path of the program as it was called. */
  readonly program: string
}

const DEFAULT_DATA_DIR = './data'

/** How to call the program again from the same folder. */
function called(program: string): string {
  if (basename(program) === 'outcomex') return 'outcomex'
  // The script at the top of the repository, when it built this program.
  const script = join(program, '..', '..', 'outcomex')
  if (!existsSync(script)) return `node ${relative('', program)}`
  const path = relative('', script)
  return path.includes(sep) ? path : `./${path}`
}

/** Returns several lines, with an empty line before and after. */
export function banner({ baseUrl, dataDir, demo, log, program }: BannerParts): string {
  const outcomex = called(program)
  const data = dataDir === DEFAULT_DATA_DIR ? '' : ` --data ${dataDir}`
  const next = demo
    ? [
        `${outcomex} order --as 0 --market rain-tomorrow --buy yes 10@0.65${data}`,
        `curl -s ${baseUrl}/markets/rain-tomorrow/orderbook`,
      ]
    : [`${outcomex} admin --url ${baseUrl} market SLUG "Title"`, `curl -s ${baseUrl}/ready`]
  return [
    '',
    `  outcomex ${VERSION}`,
    '',
    `  address      ${baseUrl}`,
    `  data folder  ${resolve(dataDir)}`,
    ...(log === undefined ? [] : [`  log          ${log}`]),
    '  stop         Ctrl-C',
    '',
    '  try next, in another terminal:',
    ...next.map((line) => `    ${line}`),
    '',
    '',
  ].join('\n')
}
