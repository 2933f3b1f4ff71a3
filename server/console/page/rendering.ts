// How every page renders. What a signal changes is rendered once in each frame of the screen,
// however many messages arrived in between. A page in the background renders nothing, and the
// newest state when it comes back.

import { options, render, type VNode } from './preact.ts'

/** A link leads to this exchange or to https, never to a script. */
const SAFE_LINK = /^(?:#|\/(?!\/)|https:\/\/)/

options.debounceRendering = (renderAll) => requestAnimationFrame(renderAll)

const extended = options.vnode
options.vnode = (vnode) => {
  const href: unknown = Reflect.get(Object(vnode.props), 'href')
  if (href !== undefined && !SAFE_LINK.test(String(href))) Reflect.set(vnode.props, 'href', null)
  extended?.(vnode)
}

/** Replaces the whole page. */
export function showPage(page: VNode): void {
  document.body.replaceChildren()
  render(page, document.body)
}
