import type { CapturedState } from '../../../../engine/core/capture.ts'
import type { Clearing } from '../../../../engine/core/clearing.ts'
import {
  marketLines,
  matchLines,
  modeLines,
  oracleLines,
  pageLines,
  propertyLines,
  seriesLines,
} from './market-lines.ts'
import {
  balanceLines,
  packLines,
  poolLines,
  reversalLines,
  rewardLines,
  unminedLines,
} from './money-lines.ts'
import { blockLines, orderLines, seenLines } from './order-lines.ts'
import {
  accountLines,
  callLines,
  frozenLines,
  heartbeatLines,
  operatorLines,
  profileLines,
  socialLines,
} from './people-lines.ts'
import { type Line, line } from './state-line.ts'

// A state as lines of text. Whatever the state hash covers is in some line, but for the seq and the
// time of the last command, which every command changes.

type Part = Exclude<keyof CapturedState, 'settlement'> | keyof CapturedState['settlement']

/** In the order in which they are printed. A part that the state gains does not compile without. */
const LINES: Readonly<Record<Part, (clearing: Clearing) => Iterable<Line>>> = {
  clock: ({ rulesVersion }) => [line('rules', `version ${rulesVersion}`)],
  ledger: balanceLines,
  profiles: profileLines,
  accounts: accountLines,
  operators: operatorLines,
  frozen: frozenLines,
  heartbeats: heartbeatLines,
  calls: callLines,
  social: socialLines,
  catalogue: marketLines,
  series: seriesLines,
  oracle: oracleLines,
  pages: pageLines,
  properties: propertyLines,
  matches: matchLines,
  modes: modeLines,
  pools: poolLines,
  rewards: rewardLines,
  packs: packLines,
  blocks: blockLines,
  reversals: reversalLines,
  unmined: unminedLines,
  seen: seenLines,
  orders: orderLines,
}

/** Reads the state as it goes: nothing may change it meanwhile. */
export function* stateLines(clearing: Clearing): Iterable<Line> {
  for (const linesOf of Object.values(LINES)) yield* linesOf(clearing)
}
