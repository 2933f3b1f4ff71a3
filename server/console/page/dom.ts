// Makes elements of the page. Text of the exchange becomes text nodes and attributes, never markup,
// and a link leads to this exchange or to https alone.

export type Child = Node | string | number | null | undefined | false

type Handlers = {
  readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void
}

export interface Props {
  readonly class?: string
  readonly id?: string
  readonly href?: string
  readonly on?: Handlers
  /** Other attributes; null, undefined and false leave one out, true gives it no value. */
  readonly attrs?: Readonly<Record<string, string | number | boolean | null | undefined>>
}

const OWN_LINK = /^(?:#|\/(?!\/)|https:\/\/)/

export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  const { on = {}, attrs = {}, href } = props
  if (props.class !== undefined) element.className = props.class
  if (props.id !== undefined) element.id = props.id
  if (href !== undefined && OWN_LINK.test(href)) element.setAttribute('href', href)
  for (const [key, value] of Object.entries(attrs)) setAttribute(element, key, value)
  for (const [event, handler] of Object.entries(on)) listen(element, event, handler)
  add(element, children)
  return element
}

function listen(element: HTMLElement, event: string, handler: unknown): void {
  if (typeof handler === 'function') element.addEventListener(event, (given) => handler(given))
}

function setAttribute(
  element: Element,
  name: string,
  value: string | number | boolean | null | undefined,
): void {
  if (value === null || value === undefined || value === false) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

function add(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)))
  }
}

/** Replaces what an element holds. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren()
  add(parent, children)
}

/** Writes a text only where it differs: an equal text costs no layout. */
export function write(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text
}

export function button(label: string, onClick: () => void, more: Props = {}): HTMLButtonElement {
  const { on, attrs, ...rest } = more
  return h(
    'button',
    { ...rest, attrs: { type: 'button', ...attrs }, on: { ...on, click: onClick } },
    label,
  )
}

/** An input below its label; `key` names the input for its form. */
export function field(
  label: string,
  key: string,
  attrs: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): { readonly element: HTMLElement; readonly input: HTMLInputElement } {
  const input = h('input', { attrs: { name: key, autocomplete: 'off', ...attrs } })
  return { element: h('label', { class: 'field' }, h('span', {}, label), input), input }
}
