import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  fieldOf,
  type MarketSetting,
  SERIES_SETTINGS,
  type SettingKind,
  SLOT_FIELDS,
} from '../../../../engine/domain/markets/market-settings.ts'
import { createMarket } from '../../../../server/api/admin/admin.ts'
import { editMarket } from '../../../../server/api/admin/admin-markets.ts'
import { createSeries, editSeries } from '../../../../server/api/admin/admin-series.ts'
import { flagNameOf } from '../../../../server/cli/admin/admin-fields.ts'
import { bodyOf } from '../../../../server/console/operator/form-body.ts'
import {
  CREATED_FIELDS,
  EDITED_FIELDS,
} from '../../../../server/console/operator/markets/setting-fields.ts'
import { readAdminLine } from '../../../support/admin-line.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { at } from '../../../support/json-path.ts'
import { type LiveExchange, startLive } from '../../../support/live-exchange.ts'
import type { Reply } from '../../../support/replies.ts'
import { until } from '../../../support/until.ts'

// Each setting of a market, in every place that has it.

/** A value of each kind, as the command line and as the console takes it. */
const TYPED: Readonly<Record<SettingKind, string | readonly [flag: string, form: string]>> = {
  line: 'Short',
  lines: 'By the gauge at the airport.',
  link: 'https://example.com/a.png',
  key: 'weather',
  labels: 'Rain,Lisbon',
  values: 'ticker=BTC,ticker=ETH,length=day',
  collateral: '2.5',
  shares: '12.5',
  bps: '100',
  ms: '750',
  yes: ['', 'yes'],
  allowed: ['false', 'yes'],
  address: `0x${'12'.repeat(20)}`,
}
const typedOf = ({ kind }: MarketSetting): readonly [flag: string, form: string] => {
  const typed = TYPED[kind]
  return typeof typed === 'string' ? [typed, typed] : typed
}
const wordOf = (row: MarketSetting) => {
  const [text] = typedOf(row)
  const flag = flagNameOf(row.name)
  return text === '' ? `--${flag}` : `--${flag}=${text}`
}
const byLine = (...line: string[]) => readAdminLine(line).call
const fieldsIn = (row: MarketSetting, ...line: string[]) =>
  at(JSON.parse(byLine(...line, wordOf(row)).body), row.name)
const fieldsOf = ({ body }: { readonly body: object | null }) => Object(at(body, 'properties'))
const namesOf = (rows: readonly MarketSetting[]) => rows.map(({ name }) => name).sort()

const dataDir = newFolder()
let live: LiveExchange
before(async () => {
  live = await startLive({ dataDir })
})
after(async () => {
  await live.stop()
  assert.deepEqual(live.faults, [])
})

function send(...line: string[]): Promise<Reply> {
  const { method, path, body } = byLine(...line)
  return live.operator(method, path, body)
}

function shownIn(body: unknown, { shownAt }: MarketSetting): unknown {
  return shownAt === null ? null : at(body, ...shownAt.split('.'))
}

const ofMarket = (slug: string) => live.exchange.pipeline.clearing.catalogue.bySlug(slug)

test('each field of a call has a row, and each row stands in the calls', () => {
  const { title, ...edited } = fieldsOf(editMarket)
  assert.ok(title !== undefined)
  assert.deepEqual(Object.keys(edited).sort(), namesOf(EDITED_SETTINGS))
  const { title: _, ...ofSeries } = fieldsOf(editSeries)
  assert.deepEqual(Object.keys(ofSeries).sort(), namesOf(SERIES_SETTINGS))
  for (const row of [...EDITED_SETTINGS, ...FIXED_SETTINGS]) {
    assert.ok(row.name in fieldsOf(createMarket), row.name)
  }
  for (const row of [...SERIES_SETTINGS, ...FIXED_SETTINGS]) {
    assert.ok(row.name in fieldsOf(createSeries), row.name)
  }
})

test('the command line and the console send the same of each setting', () => {
  const series = ['series', 's', 'T', '--symbol=BTC', '--every=daily']
  for (const row of [...EDITED_SETTINGS, ...FIXED_SETTINGS]) {
    const [, form] = typedOf(row)
    const typed = bodyOf(CREATED_FIELDS, (name) => (name === row.name ? form : ''))
    assert.deepEqual(Object.keys(typed), [row.name])
    assert.deepEqual(fieldsIn(row, 'market', 'm', 'T'), typed[row.name], row.name)
    assert.deepEqual(fieldsIn(row, 'group', 'g', 'T', 'a=A', 'b=B'), typed[row.name], row.name)
    if (!('ofSeries' in row) || row.ofSeries !== false) {
      assert.deepEqual(fieldsIn(row, ...series), typed[row.name], row.name)
    }
  }
  assert.deepEqual(EDITED_FIELDS.map(({ name }) => name).sort(), namesOf(EDITED_SETTINGS))
  for (const row of EDITED_SETTINGS)
    assert.ok(wordOf(row) !== '' && fieldsIn(row, 'edit-market', 'm') !== undefined)
  for (const row of SERIES_SETTINGS) assert.ok(fieldsIn(row, 'edit-series', '1') !== undefined)
})

test('each setting that is edited is kept, shown, and there after a restart', async () => {
  const made = await send('market', 'rain', 'Rain?', '--taker-delay=500')
  assert.equal(made.status, 201, made.text)
  const kept = new Map<string, unknown>()
  for (const row of EDITED_SETTINGS) {
    const before = ofMarket('rain')?.[fieldOf(row)]
    const shownBefore = shownIn((await live.send('GET', '/markets/rain')).body, row)
    const edited = await send('edit-market', 'rain', wordOf(row))
    assert.equal(edited.status, 200, edited.text)
    const now = ofMarket('rain')?.[fieldOf(row)]
    assert.notDeepEqual(now, before, row.name)
    kept.set(row.name, now)
    if (row.shownAt !== null) assert.notDeepEqual(shownIn(edited.body, row), shownBefore, row.name)
  }
  await live.stop()
  live = await startLive({ dataDir })
  for (const row of EDITED_SETTINGS) {
    assert.deepEqual(ofMarket('rain')?.[fieldOf(row)], kept.get(row.name), row.name)
  }
})

test('each setting that is fixed is shown of a new market', async () => {
  const plain = (await send('market', 'plain', 'Plain?')).body
  const set = await send('market', 'set', 'Set?', ...FIXED_SETTINGS.map(wordOf))
  assert.equal(set.status, 201, set.text)
  for (const row of FIXED_SETTINGS) {
    assert.notDeepEqual(shownIn(set.body, row), shownIn(plain, row), row.name)
  }
})

test('the slots of a series have its settings', async () => {
  const line = ['series', 'btc-day', 'Bitcoin up?', '--symbol=BTC', '--every=daily', '--ahead=1']
  const made = await send(...line, ...[...SERIES_SETTINGS, ...FIXED_SETTINGS].map(wordOf))
  assert.equal(made.status, 201, made.text)
  const { catalogue, series } = live.exchange.pipeline.clearing
  const slots = () => catalogue.all().filter(({ slot }) => slot !== undefined)
  await until(() => slots().length > 0)
  const [slot] = slots()
  const known = Object(series.existing(1))
  for (const field of SLOT_FIELDS) {
    assert.ok(known[field] !== undefined, field)
    const { ticker: _, ...ofSlot } = Object(slot[field])
    const { ticker: __, ...expected } = Object(known[field])
    assert.deepEqual(ofSlot, expected, field)
  }
  assert.equal(slot.takerDelayMs, 750)
  assert.equal(slot.feeEnabled, true)
})
