import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsOf } from '../../../../server/console/operator/audit-details.ts'
import { bodyOf, type FormField, signedRaw } from '../../../../server/console/operator/form-body.ts'
import { resolutionOf } from '../../../../server/console/operator/markets/resolution.ts'

// What the forms of operators send.

const field = (name: string, kind: FormField['kind'], more: Partial<FormField> = {}) => {
  return { name, label: `Label of ${name}`, kind, ...more }
}
const FIELDS = [
  field('slug', 'text', { isNeeded: true }),
  field('dailyRewardRaw', 'units'),
  field('takerDelayMs', 'number'),
  field('categories', 'labels'),
  field('properties', 'pairs'),
  field('deadline', 'instant'),
  field('fee', 'check'),
  field('delayedCancel', 'forbid'),
]
const from = (typed: Readonly<Record<string, string>>) => (name: string) => typed[name] ?? ''

test('a body has what was typed, in the units of the exchange, and leaves out the rest', () => {
  const typed = {
    slug: 'rain',
    dailyRewardRaw: '12.5',
    takerDelayMs: '500',
    fee: 'yes',
    delayedCancel: 'yes',
    properties: 'ticker=BTC, ticker = ETH,length=day',
    categories: 'Weather, , Lisbon ',
    deadline: '2027-01-01T00:00:00Z',
  }
  assert.deepEqual(bodyOf(FIELDS, from(typed)), {
    slug: 'rain',
    dailyRewardRaw: 12_500_000,
    takerDelayMs: 500,
    fee: true,
    delayedCancel: false,
    properties: { ticker: ['BTC', 'ETH'], length: ['day'] },
    categories: ['Weather', 'Lisbon'],
    deadline: '2027-01-01T00:00:00.000Z',
  })
  assert.deepEqual(bodyOf(FIELDS, from({ slug: 'rain' })), { slug: 'rain' })
})

test('a field that holds something else says so by its label', () => {
  for (const [name, text] of [
    ['slug', ''],
    ['dailyRewardRaw', '1.0000001'],
    ['dailyRewardRaw', '-1'],
    ['takerDelayMs', '1.5'],
    ['deadline', 'tomorrow'],
    ['properties', 'ticker'],
    ['properties', 'a=b=c'],
  ] as const) {
    const typed = from({ slug: 'rain', [name]: text })
    assert.throws(() => bodyOf(FIELDS, typed), { message: new RegExp(`^Label of ${name} `) })
  }
})

test('an amount is credited or debited by its sign', () => {
  assert.deepEqual(
    ['100', '+0.000001', '-12.50', '−1'].map(signedRaw),
    [100_000_000, 1, -12_500_000, -1_000_000],
  )
  for (const text of ['', '0', '-0.0', '--1', '1e3', '1,000', '0.0000001']) {
    assert.throws(() => signedRaw(text), /must be like/, text)
  }
})

test('a resolution is what its second look says', () => {
  const of = (typed: Readonly<Record<string, string>>) => resolutionOf('rain', from(typed))
  assert.deepEqual(of({ outcome: 'NO', split: '1:1' }), {
    path: '/admin/markets/rain/resolve',
    body: { winningOutcomeIndex: 1 },
    sentence: 'NO wins: each NO share is paid $1.00.',
  })
  assert.deepEqual(of({ outcome: 'YES' }).body, { winningOutcomeIndex: 0 })
  assert.deepEqual(of({ outcome: 'A split', split: '1 : 3' }), {
    path: '/admin/markets/rain/resolve',
    body: { payoutNumerators: [1, 3] },
    sentence: 'It is split: YES $0.25, NO $0.75 a share.',
  })
  assert.match(of({ outcome: 'A split', split: '1:2' }).sentence, /YES \$0\.3333, NO \$0\.6667/)
  const group = of({ outcome: 'A market of this group', winner: 'reds' })
  assert.deepEqual([group.path, group.body], ['/admin/groups/rain/resolve', { winner: 'reds' }])
  const wrong: readonly Readonly<Record<string, string>>[] = [
    {},
    { outcome: 'Choose' },
    { outcome: 'A split', split: '' },
    { outcome: 'A split', split: '0:0' },
    { outcome: 'A split', split: '-1:2' },
    { outcome: 'A market of this group' },
  ]
  for (const typed of wrong) assert.throws(() => of(typed))
})

test('an entry of the audit shows what it names, cut and in whole units', () => {
  const own = { seq: 4711, at: '2026-01-01T00:00:00.000Z', operator: 'ada', kind: 'adjust' }
  const named = {
    collateralRaw: -12_500_000,
    tags: ['a', 'b'],
    markets: [{ marketSlug: 'x' }],
    endsAtMs: null,
    title: 'x'.repeat(300),
  }
  assert.deepEqual(detailsOf({ ...own, ...named }), [
    ['collateral', '-12.5'],
    ['tags', 'a, b'],
    ['markets', '[{"marketSlug":"x"}]'],
    ['endsAtMs', 'null'],
    ['title', `${'x'.repeat(200)}…`],
  ])
})
