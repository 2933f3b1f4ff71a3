// The page at `/`: markets, one market, the visitor's account.

import './style.css'
import { accountView } from './account/account-view.ts'
import { visitorMenu } from './account/visitor-menu.ts'
import type { Context } from './context.ts'
import { read } from './exchange/api.ts'
import type { ExchangeInfo } from './exchange/shapes.ts'
import { Streams } from './exchange/streams.ts'
import { Trader } from './exchange/trader.ts'
import { TradingMode } from './exchange/trading-mode.ts'
import { marketView } from './market/market-view.ts'
import { marketsView } from './markets/markets-view.ts'
import { h } from './page/dom.ts'
import { Notices } from './page/notices.ts'
import { modeBanner } from './page/parts/mode-banner.ts'
import { whileVisible } from './page/parts/while-visible.ts'
import { linkState, openShell } from './page/shell.ts'
import { startTheme } from './page/theme.ts'
import { type Place, Places } from './page/view.ts'

/** How often a page that is looked at asks for what no stream tells. */
const ASK_AGAIN_MS = 30_000

const PLACES: readonly Place<Context>[] = [
  { pattern: '#/', open: marketsView },
  { pattern: '#/category/:category', open: marketsView },
  { pattern: '#/market/:slug', open: marketView },
  { pattern: '#/account', open: accountView },
]

async function start(): Promise<void> {
  startTheme()
  const notices = new Notices()
  const streams = new Streams()
  const info = await read<ExchangeInfo>('/exchange-info')
  const trader = new Trader(info, {
    changed: () => streams.renew(),
    over: () => notices.bad('The session has ended; log in again.'),
  })
  // A session that is over says so itself; without an answer it is asked again later.
  const confirm = () => void trader.confirm().catch(() => {})
  const mode = new TradingMode()
  streams.doubts(confirm)
  whileVisible(ASK_AGAIN_MS, () => {
    confirm()
    void mode.ask()
  })
  const context = { info, streams, trader, mode, notices }
  const shell = openShell({
    home: '#/',
    links: [
      ['#/', 'Markets'],
      ['#/account', 'Account'],
      ['/docs', 'Documents'],
    ],
    aside: [linkState(streams.link), visitorMenu(context)],
    foot: [
      `outcomex ${info.version}`,
      h('a', { href: '/docs' }, 'Documents'),
      h('a', { href: '/docs/openapi' }, 'API'),
    ],
    notices: notices.element,
    banner: modeBanner(mode.restriction),
  })
  void mode.ask()
  await trader.resume()
  new Places(shell.root, context, PLACES, shell.mark)
}

start().catch((error: unknown) => {
  const sentence = error instanceof Error ? error.message : String(error)
  document.body.replaceChildren(h('p', { class: 'failed' }, `The page cannot start: ${sentence}`))
})
