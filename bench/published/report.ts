import { createHash } from 'node:crypto'
import { type Messages, messagesOf, type Scenario } from './messages.ts'
import { Lines, WideBook } from './wide-book.ts'

/** SHA-256 of the report of each scenario with seed 23, as published. */
export const PUBLISHED: Readonly<Record<Scenario, string>> = {
  static: '9803843ee404fc29c9a0aa5614f8f0d5a58b5c44fcac9ef89067886fcaaa30d1',
  normal: 'e9b2e3926854410b01a035aeb25dd05f1e597c233be8263de9eb49b6713d367e',
  'swing-25': '61a84be9469661bd039e00dbc9a7c011e70b6ace37aadfe60045ea083b05f4df',
  'swing-40': '3cb0175e7982ff09ea220d1feaee3844cf9116a5ce455757879dea1d880b9b9f',
  'flash-crash': 'cff8d3f94b709fc64a8b2058a6ca4fb6920364904796e46906895e362d2bb16b',
}

const CHUNK_LINES = 4096

/** The report that our book gives of the messages, line by line. */
export function* reportOf(messages: Messages): Generator<string> {
  const lines = new Lines(messages)
  let row = 0
  const book = new WideBook(messages, (count) => lines.take(row, count))
  for (; row < messages.count; row++) {
    book.run(row, row + 1)
    yield* lines.end()
  }
}

/** The hash of the report of a scenario, whose lines are joined by \n. */
export function reportHash(scenario: Scenario): string {
  const hash = createHash('sha256')
  let chunk: string[] = []
  for (const line of reportOf(messagesOf(scenario))) {
    if (chunk.length === CHUNK_LINES) {
      hash.update(`${chunk.join('\n')}\n`)
      chunk = []
    }
    chunk.push(line)
  }
  return hash.update(chunk.join('\n')).digest('hex')
}
