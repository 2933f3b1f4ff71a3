import type { Trader } from '../../support/exchange-client.ts'
import { JOIN } from '../../support/raw-member.ts'
import type { Ground } from '../ground.ts'
import type { Peer } from '../peer.ts'
import { plain, says, signed, upgrade } from '../requests.ts'
import { filesOf } from './acts.ts'

// The traffic of 1,000 pages of the console that people keep open. A page loads itself and its
// files, requests what it shows, and listens on one socket. Half of them list markets and follow
// the books of 100; half show one market, its tape and the visitor's own orders.

const PAGES = 1000
const PAGES_SHORT = 12
/** So many pages are loaded in a second, then loaded again. */
const LOADS_PER_SECOND = 50
/** Four people behind each address. */
const ADDRESSES = 250
/** One page in so many is that of a visitor who is logged in. */
const VISITORS = 4

const OF_LIST = [
  '/markets/active?page=1&limit=25&sortBy=newest&includeNextMarket=true',
  '/markets/categories/count',
  '/navigation',
]

interface Files {
  readonly paths: readonly string[]
  /** What a browser that was here before still has: the tag of each path. */
  readonly tags: ReadonlyMap<string, string>
}

async function learnFiles(on: Ground): Promise<Files> {
  const paths = ['/', ...(await filesOf(on))]
  const tags = new Map<string, string>()
  const peer = on.peer()
  for (const path of paths) {
    await peer.request(plain('GET', path))
    tags.set(path, peer.etag)
  }
  // The exchange would close it when it is idle.
  peer.end()
  return { paths, tags }
}

/** One page in two; its number says who looks, and at what. */
interface Page {
  readonly number: number
  readonly slug: string
  /** The visitor, where one is logged in. */
  readonly visitor: Trader | null
}

function pageOf(on: Ground, number: number): Page {
  const { slugs, markets, fans } = on.scene
  const slug = number % 3 === 0 ? markets[0].slug : slugs[number % slugs.length]
  // A profile that no other attack signs for: it pays for its own reads alone.
  return { number, slug, visitor: number % VISITORS === 0 ? fans[number % fans.length] : null }
}

const isList = ({ number }: Page) => number % 2 === 1

function loads(page: Page, { paths, tags }: Files): string[] {
  const { slug, visitor } = page
  const headers = (path: string) => ({ 'if-none-match': tags.get(path) ?? '' })
  const me = '/profiles/me'
  const market = `/markets/${slug}`
  const ofMarket = [market, `${market}/historical-price?interval=1d`, `${market}/trades?limit=100`]
  const own = [`${market}/user-orders`, '/portfolio/positions', '/portfolio/balance']
  const ofVisitor = isList(page) ? [me] : [me, ...own]
  return [
    ...paths.map((path) => plain('GET', path, { headers: headers(path) })),
    plain('GET', '/exchange-info'),
    plain('GET', '/maintenance/status'),
    ...(isList(page) ? OF_LIST : ofMarket).map((path) => plain('GET', path)),
    ...(visitor === null
      ? [plain('GET', me)]
      : ofVisitor.map((path) => signed(visitor, 'GET', path))),
  ]
}

function listens(page: Page, slugs: readonly string[]): Buffer[] {
  const marketSlugs = isList(page) ? slugs : [page.slug]
  const all = [
    says('subscribe_market_prices', { marketSlugs, mode: 'delta' }),
    says('subscribe_market_lifecycle'),
  ]
  if (isList(page)) return all
  const own = page.visitor === null ? [] : [says('subscribe_order_events')]
  return [...all, says('subscribe_trades', { marketSlugs }), ...own]
}

export async function consolePages(on: Ground): Promise<void> {
  const files = await learnFiles(on)
  const open: Peer[] = []
  const count = on.isShort ? PAGES_SHORT : PAGES
  const under = new Set<Promise<void>>()
  for (let cycle = 0; await on.cycle(LOADS_PER_SECOND); cycle++) {
    const page = pageOf(on, cycle % count)
    const load = loaded(on, page, files).then((socket) => {
      open[page.number]?.end()
      open[page.number] = socket
      under.delete(load)
    })
    under.add(load)
    if (on.isShort) await load
  }
  await Promise.all(under)
}

/** Loads one page, and gives its socket. */
async function loaded(on: Ground, page: Page, files: Files): Promise<Peer> {
  const from = page.number % ADDRESSES
  const peer = on.peer(from)
  for (const request of loads(page, files)) await peer.request(request)
  peer.end()
  const socket = on.peer(from)
  await socket.request(upgrade(page.visitor ?? undefined))
  if (socket.isSocket) {
    socket.send(JOIN)
    for (const message of listens(page, on.scene.slugs)) socket.send(message)
  }
  return socket
}
