// The page at `/`: markets, one market, the visitor's account.

import './style.css'
import { AccountView } from './account/account-view.tsx'
import { VisitorMenu } from './account/visitor-menu.tsx'
import type { Context } from './context.ts'
import { messageOf, read } from './exchange/api.ts'
import type { ExchangeInfo } from './exchange/shapes.ts'
import { type Link, Streams } from './exchange/streams.ts'
import { Trader } from './exchange/trader.ts'
import { MarketView } from './market/market-view.tsx'
import { MarketsView } from './markets/markets-view.tsx'
import { whileVisible } from './page/lifetime.ts'
import { ModeBanner, TradingMode } from './page/mode-banner.tsx'
import { Notices } from './page/notices.tsx'
import { showPage } from './page/rendering.ts'
import type { Place } from './page/router.tsx'
import { Shell } from './page/shell.tsx'
import { startTheme } from './page/theme.tsx'

/** How often a page that is looked at reads what no stream publishes. */
const READ_AGAIN_MS = 30_000

const LINKS = [
  ['#/', 'Markets'],
  ['#/account', 'Account'],
  ['/docs', 'Documents'],
] as const

function placesOf(context: Context): readonly Place[] {
  return [
    {
      pattern: '#/',
      title: 'Markets',
      view: () => <MarketsView context={context} />,
    },
    {
      pattern: '#/category/:category',
      title: 'Markets',
      view: ({ category }) => <MarketsView context={context} category={category} />,
    },
    {
      pattern: '#/market/:slug',
      title: 'Market',
      view: ({ slug = '' }) => <MarketView context={context} slug={slug} />,
    },
    {
      pattern: '#/account',
      title: 'Account',
      view: () => <AccountView context={context} />,
    },
  ]
}

const LINK_WORDS: Readonly<Record<Link, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost',
}

/** Says whether the exchange still sends. */
function LinkState({ streams: { link } }: { readonly streams: Streams }) {
  return (
    <span class="link" role="status" data-link={link.value}>
      {LINK_WORDS[link.value]}
    </span>
  )
}

async function start(): Promise<void> {
  startTheme()
  const notices = new Notices()
  const streams = new Streams()
  const info = await read<ExchangeInfo>('/exchange-info')
  const trader = new Trader(info, {
    changed: () => streams.renew(),
    over: () => notices.bad('The session has ended; log in again.'),
  })
  // An ended session is reported by itself; without an answer the request is repeated later.
  const confirm = () => void trader.confirm().catch(() => {})
  const mode = new TradingMode()
  streams.doubts(confirm)
  whileVisible(READ_AGAIN_MS, () => {
    confirm()
    void mode.refresh()
  })
  const context = { info, streams, trader, mode, notices }
  void mode.refresh()
  await trader.resume()
  showPage(
    <Shell
      links={LINKS}
      places={placesOf(context)}
      aside={
        <>
          <LinkState streams={streams} />
          <VisitorMenu context={context} />
        </>
      }
      foot={
        <>
          <span>outcomex {info.version}</span>
          <span>
            <a href="/docs">Documents</a>
          </span>
          <span>
            <a href="/docs/openapi">API</a>
          </span>
        </>
      }
      notices={notices}
      banner={<ModeBanner mode={mode} />}
    />,
  )
}

start().catch((error: unknown) => {
  showPage(<p class="failed">The page cannot start: {messageOf(error)}</p>)
})
