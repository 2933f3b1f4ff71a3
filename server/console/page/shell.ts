// What stands around every view: the head with its links, the main part, the foot.

import { type Child, h } from './dom.ts'
import type { Signal } from './signal.ts'
import { themeButton } from './theme.ts'

export interface ShellParts {
  readonly home: string
  readonly links: readonly (readonly [href: string, label: string])[]
  readonly aside: readonly Child[]
  readonly foot: readonly Child[]
  readonly notices: HTMLElement
  /** Stands below the head; empty while there is nothing to say. */
  readonly banner?: HTMLElement
}

export interface Shell {
  /** Where views are shown. */
  readonly root: HTMLElement
  /** Marks the link of the place that is shown. */
  readonly mark: (fragment: string) => void
}

export function openShell({ home, links, aside, foot, notices, banner }: ShellParts): Shell {
  const root = h('main', { id: 'main', attrs: { tabindex: -1 } })
  const anchors = links.map(([href, label]) => h('a', { href }, label))
  const head = h(
    'header',
    { class: 'head' },
    h('a', { class: 'logo', href: home }, 'outcomex'),
    h('nav', { attrs: { 'aria-label': 'Main' } }, ...anchors),
    h('div', { class: 'aside' }, ...aside),
  )
  const feet = foot.map((each) => h('span', {}, each))
  document.body.replaceChildren(
    h(
      'a',
      { class: 'skip', href: '#main', on: { click: (event) => skip(event, root) } },
      'Skip to content',
    ),
    head,
    ...(banner === undefined ? [] : [banner]),
    root,
    h('footer', { class: 'foot' }, ...feet, themeButton()),
    notices,
  )
  return { root, mark: (fragment) => mark(anchors, fragment) }
}

/** The fragment names a view, so the link moves the focus itself. */
function skip(event: Event, root: HTMLElement): void {
  event.preventDefault()
  root.focus()
}

function mark(anchors: readonly HTMLAnchorElement[], fragment: string): void {
  for (const anchor of anchors) {
    if (anchor.getAttribute('href') === fragment) anchor.setAttribute('aria-current', 'page')
    else anchor.removeAttribute('aria-current')
  }
}

const LINK_WORDS = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost' } as const

/** Says whether the exchange still sends. */
export function linkState(link: Signal<keyof typeof LINK_WORDS>): HTMLElement {
  const element = h('span', { class: 'link', attrs: { role: 'status' } })
  link.watch((state) => {
    element.dataset.link = state
    element.textContent = LINK_WORDS[state]
  })
  return element
}
