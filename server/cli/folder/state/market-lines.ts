import { hashedFieldsOf } from '../../../../engine/core/cells/hashed-fields.ts'
import type { Clearing } from '../../../../engine/core/clearing.ts'
import { totalOf } from '../../../../engine/domain/units.ts'
import { unitsOf } from '../../decimals.ts'
import { instant, type Line, line, recordLine, shown, units, wordsOf } from './state-line.ts'
import { slugOf } from './thing-name.ts'

// Markets, series, prices, pages, properties, matches, and when trading is restricted. A market and
// a series have a line for each field, so that a diff shows the field that changed.

function* fieldLines(name: string, record: object): Iterable<Line> {
  for (const [field, value] of hashedFieldsOf(record)) {
    yield line(`${name}, ${wordsOf(field)}`, shown(field, value))
  }
}

export function* marketLines({ catalogue }: Clearing): Iterable<Line> {
  yield line('markets ever made', String(catalogue.lastId))
  for (const [index, name] of catalogue.categories.capture().entries()) {
    yield line(`category ${index + 1}`, name)
  }
  for (const {
    slug,
    status,
    conditionRaw,
    volume,
    book: _b,
    rowCount: _r,
    ...rest
  } of catalogue.all()) {
    const name = `market ${slug}`
    yield line(name, `${status}, collateral ${units(conditionRaw)}`)
    yield line(`${name}, volume`, unitsOf(totalOf(volume)))
    yield* fieldLines(name, rest)
  }
}

export function* seriesLines(clearing: Clearing): Iterable<Line> {
  yield line('series ever made', String(clearing.series.lastId))
  for (const { seriesId, slots, ...rest } of clearing.series.all()) {
    const name = `series ${seriesId}`
    yield* fieldLines(name, rest)
    for (const [startMs, marketId] of slots) {
      yield line(`${name}, slot of ${instant(startMs)}`, slugOf(clearing, marketId))
    }
  }
}

export function* oracleLines({ oracle }: Clearing): Iterable<Line> {
  const { newest, boundaries } = oracle.capture()
  for (const [symbol, report] of newest) yield recordLine(`price of ${symbol}`, report)
  for (const { symbol, atMs, ...rest } of boundaries) {
    yield recordLine(`boundary of ${symbol} at ${instant(atMs)}`, rest)
  }
}

export function* pageLines({ pages }: Clearing): Iterable<Line> {
  const captured = pages.capture()
  for (const { pageId, ...page } of captured.pages) yield recordLine(`page ${pageId}`, page)
  for (const [path, pageId] of captured.moved) yield line(`path ${path} leads to page`, pageId)
}

export function* propertyLines({ properties }: Clearing): Iterable<Line> {
  for (const { keyId, options, ...key } of properties.capture()) {
    yield recordLine(`property ${keyId}`, key)
    for (const { optionId, ...option } of options) {
      yield recordLine(`property ${keyId}, option ${optionId}`, option)
    }
  }
}

export function* matchLines({ matches }: Clearing): Iterable<Line> {
  for (const { slug, home, away, markets, score, ...match } of matches.all()) {
    const name = `match ${slug}`
    yield recordLine(name, match)
    yield recordLine(`${name}, home`, home)
    yield recordLine(`${name}, away`, away)
    for (const { marketId, ...market } of markets) {
      yield recordLine(`${name}, market ${marketId}`, market)
    }
    if (score !== null) yield recordLine(`${name}, score`, score)
  }
}

export function* modeLines({ modes }: Clearing): Iterable<Line> {
  const { lastWindowId, windows } = modes.capture()
  yield line('trading windows ever put', String(lastWindowId))
  for (const { windowId, ...window } of windows) {
    yield recordLine(`trading window ${windowId}`, window)
  }
}
