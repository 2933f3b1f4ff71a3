import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MARKETS_TO_SEARCH } from '../../support/markets-to-search.ts'
import { SearchDesk } from '../../support/search-desk.ts'

const desk = new SearchDesk()
for (const [slug, title, of] of MARKETS_TO_SEARCH) {
  desk.market(slug, title, { categories: of.split(',') })
}
desk.follow()
after(() => desk.close())

/** The markets that must come first, in any order among themselves. */
const FIRST: readonly (readonly [query: string, slugs: string])[] = [
  ['bitcoin', 'btc-150k sats-reserve cjk-bitcoin'],
  ['BTC', 'btc-weekly'],
  ['bitco', 'btc-150k sats-reserve cjk-bitcoin'],
  ['比特币', 'cjk-bitcoin'],
  ['btc-150k', 'btc-150k'],
  ['ethereum', 'eth-10k sol-flip'],
  ['ether', 'eth-etf-staking'],
  ['stablecoin', 'usdt-depeg'],
  ['interest rates', 'fed-two-cuts boj-hike ecb-april fed-march'],
  ['federal reserve', 'fed-two-cuts ecb-april boj-hike fed-march'],
  ['fed rate cut', 'fed-two-cuts fed-march'],
  ['inflation', 'us-cpi'],
  ['jobs', 'jobs-200k unemployment-5'],
  ['precious metals', 'gold-5000'],
  ['oil', 'oil-100 gas-prices'],
  ['currency', 'yen-160 eurusd-120'],
  ['chatgpt', 'claude-top openai-gpt6 agi-2030 deepseek-ban'],
  ['artificial intelligence', 'claude-top openai-gpt6 agi-2030 deepseek-ban'],
  ['space', 'spacex-mars nasa-moon alien-proof'],
  ['rocket', 'spacex-mars'],
  ['elon musk', 'zuck-musk tsla-robotaxi'],
  ['donald trump', 'trump-third trump-approval'],
  ['trum', 'putin-trump trump-third trump-approval'],
  ['british politics', 'farage-pm starmer-out'],
  ['ukraine war', 'nato-finland ukraine-ceasefire'],
  ['middle east', 'gaza-peace iran-strike'],
  ['argentina', 'worldcup-argentina milei-midterm'],
  ['weather', 'hottest-year rain-london'],
  ['Will it rain in London tomorrow?', 'rain-london'],
  ['hurricanes', 'hurricane-cat5'],
  ['earthquake', 'quake-la'],
  ['pandemic', 'h5n1-human covid-variant measles-1000'],
  ['covid-19', 'covid-variant'],
  ['medicine', 'alz-drug measles-1000 ozempic-pill covid-variant'],
  ['soccer', 'epl-arsenal ucl-madrid messi-goals haaland-30'],
  ['world cup', 'worldcup-france worldcup-argentina'],
  ['nfl', 'sb-chiefs eagles-cowboys mahomes-mvp'],
  ['basketball', 'lakers-celtics lebron-retire nba-okc'],
  ['baseball', 'ohtani-50 ws-dodgers'],
  ['hockey', 'nhl-oilers'],
  ['tennis', 'wimbledon-alcaraz djokovic-25'],
  ['golf', 'masters-rory'],
  ['formula 1', 'f1-verstappen'],
  ['boxing', 'tyson-paul'],
  ['cricket', 'ipl-kohli'],
  ['chess', 'chess-gukesh'],
  ['music', 'swift-album drake-kendrick'],
  ['movies', 'avatar-2b oscars-picture netflix-squid'],
  ['video games', 'gta6-delay lol-t1'],
  ['esports', 'lol-t1 cs2-major'],
  ['lottery', 'powerball-1b'],
  ['bitcion', 'btc-150k sats-reserve cjk-bitcoin'],
  ['etherium', 'eth-10k sol-flip'],
  ['wimbeldon', 'wimbledon-alcaraz'],
  ['cafe zurich', 'cafe-unicode'],
  ['CAFÉ ZÜRICH', 'cafe-unicode'],
  ['royal family', 'royal-abdication'],
]

test('each of many queries finds first what it is about', () => {
  assert.ok(FIRST.length >= 50 && MARKETS_TO_SEARCH.length >= 120)
  for (const [query, slugs] of FIRST) {
    const wanted = slugs.split(' ')
    const first = desk.found(query).slice(0, wanted.length)
    assert.deepEqual([...first].sort(), [...wanted].sort(), query)
  }
})

test('crypto finds every market of a coin, and none of another kind', () => {
  const named = desk.found('crypto')
  const ofCoins = MARKETS_TO_SEARCH.filter(([, , of]) => of.includes('Crypto'))
  for (const [slug] of ofCoins) assert.ok(named.includes(slug), slug)
  for (const slug of ['rain-london', 'epl-arsenal', 'trump-third', 'gaza-peace']) {
    assert.ok(!named.includes(slug), slug)
  }
})

test('a name comes before a phrase, a phrase before words, and words before likeness', () => {
  const own = new SearchDesk()
  own.market('likeness', 'Hurricane season above average?')
  own.market('words', 'Storm this winter?')
  own.market(
    'phrase',
    'Will the first winter storm of the season reach the harbour of Boston before Sunday?',
  )
  own.market('name', 'Winter storm')
  own.follow()
  assert.deepEqual(own.found('winter storm', 0.3), ['name', 'phrase', 'words', 'likeness'])
  own.close()
})

test('the threshold bounds the similarity, and a market with all words has similarity 1', () => {
  assert.deepEqual(desk.found('covid variant', 1), ['covid-variant'])
  assert.deepEqual(desk.found('virus disease', 1), [])
  const counts = [0, 0.25, 0.5, 0.75, 1].map((min) => desk.search('virus disease', min).total)
  assert.deepEqual(
    counts,
    [...counts].sort((one, other) => other - one),
  )
  assert.ok(counts[0] > counts[2] && counts[2] > 0)
})

test('pages follow each other without a gap, and one behind the last is empty', () => {
  const all = desk.search('crypto')
  const pages = [0, 5, 10, 15, 20].flatMap((skip) => desk.search('crypto', 0.5, skip, 5).marketIds)
  assert.deepEqual(pages, all.marketIds)
  assert.equal(all.total, all.marketIds.length)
  assert.deepEqual(desk.search('crypto', 0.5, 1000, 5), { marketIds: [], total: all.total })
})

const HOSTILE = [
  '',
  ' ',
  '"',
  '""',
  `'`,
  '*',
  '^',
  '(',
  ')',
  '{',
  '}',
  ':',
  '-',
  '+',
  'NEAR',
  'NEAR(',
  'AND',
  'OR',
  'NOT',
  'AND OR NOT',
  'NEAR(a b, 2)',
  'title:bitcoin',
  '{title}: x',
  'a"b',
  'bit*',
  '^a',
  'bitcoin AND NOT trump',
  `"bitcoin`,
  `bitcoin"`,
  '\\',
  ';DROP TABLE search_markets;--',
  '%',
  '_',
  '\0',
  'bit\0coin',
  '\u200b',
  '\u202ebitcoin',
  'bit\u200dcoin',
  '😀',
  '😀😀😀',
  '\ud83d',
  '\udc00x',
  'مرحبا بالعالم',
  'שלום',
  'नमस्ते',
  'ไทยแลนด์',
  '\u0301\u0301\u0301',
  'İSTANBUL',
  'ﬁnance',
  '𝕭𝖎𝖙𝖈𝖔𝖎𝖓',
  'a'.repeat(10_000),
  'a '.repeat(5000),
  '"'.repeat(10_000),
  'é'.repeat(3000),
  '\u0301'.repeat(9000),
  Array.from({ length: 300 }, (_each, at) => `word${at}`).join(' '),
  'the of and a to',
  '1 2 3 4',
]

test('no text is a fault, whatever it holds', () => {
  for (const text of HOSTILE) {
    const { marketIds, total } = desk.search(text, 0)
    assert.ok(marketIds.length <= total, JSON.stringify(text.slice(0, 40)))
  }
  assert.deepEqual(desk.search('😀 " * ()', 0), { marketIds: [], total: 0 })
})

test('signs that are not seen do not hide a word', () => {
  assert.deepEqual(desk.found('bit\u200dcoin\u202e'), desk.found('bitcoin'))
  assert.deepEqual(desk.found('  "Bitcoin"?! '), desk.found('bitcoin'))
  assert.deepEqual(desk.found('𝕭𝖎𝖙𝖈𝖔𝖎𝖓'), desk.found('bitcoin'))
})

test('a locked or resolved market leaves the search, and a new one comes', () => {
  const own = new SearchDesk()
  own.market('first', 'Bitcoin above one?')
  own.market('second', 'Bitcoin above two?')
  own.market('third', 'Bitcoin above three?')
  own.follow()
  assert.deepEqual(own.found('bitcoin'), ['third', 'second', 'first'])
  own.lock('second')
  own.resolve('third')
  own.market('fourth', 'Bitcoin above four?')
  own.market('brief', 'Bitcoin above five?')
  own.resolve('brief')
  own.follow()
  assert.deepEqual(own.found('bitcoin'), ['fourth', 'first'])
  assert.deepEqual(own.found('digital coin'), ['fourth', 'first'])
  const rows = own.connection.prepare('SELECT count(*) AS count FROM search_words').get()
  assert.deepEqual(rows, { count: 2 }, 'an index keeps nothing of what left')
  own.close()
})

test('recommendations are of the same category first, and then the nearest', () => {
  const near = desk.near('epl-arsenal')
  assert.deepEqual([near?.length, near?.includes('epl-arsenal')], [5, false])
  const ofSports = MARKETS_TO_SEARCH.filter(([, , of]) => of === 'Sports').map(([slug]) => slug)
  assert.ok(
    near?.every((slug) => ofSports.includes(slug)),
    near?.join(),
  )
  assert.deepEqual(near?.slice(0, 3), ['ucl-madrid', 'messi-goals', 'haaland-30'])
  assert.deepEqual(desk.near('quantum-break')?.slice(0, 2).sort(), [
    'fusion-grid',
    'superconductor-warm',
  ])
  assert.equal(desk.near('never-there'), null)
})

test('a market that is over has recommendations by what it was about', () => {
  const own = new SearchDesk()
  own.market('over', 'Will Arsenal win the Premier League?', { categories: ['Sports'] })
  own.market('weather', 'Snow in Oslo?', { categories: ['Weather'] })
  own.market('other', 'Will Chelsea win the Premier League?')
  own.market('golf', 'McIlroy to win the Masters?', { categories: ['Sports'] })
  own.resolve('over')
  own.follow()
  assert.deepEqual(own.near('over'), ['golf', 'other', 'weather'])
  own.close()
})
