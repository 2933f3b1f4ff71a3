// Renders our own Markdown pages as HTML. Raw HTML becomes text, and links lead only to other
// pages, to headings and to https.

import { Marked, type Tokens } from 'marked'
import { escaped } from './html.ts'

/** A rendered page: its title, a summary, and its body as HTML. */
export interface Rendered {
  readonly title: string
  /** The first sentence below the title, plain text. */
  readonly about: string
  readonly body: string
}

const COMMENT = /^\s*<!--[\s\S]*?-->\s*$/
const PAGE_LINK = /^([a-z][a-z-]*)\.md(#[a-z0-9_-]+)?$/
const PLAIN_LINK = /^(?:https:\/\/|#|\/)/

/** The anchor of a heading, as GitHub derives it. */
export function anchorOf(heading: string): string {
  const words = heading.trim().toLowerCase()
  return words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
}

/** Anchors of one page: the second heading of a name gets the suffix -1. */
export function anchors(): (heading: string) => string {
  const counts = new Map<string, number>()
  return (heading) => {
    const anchor = anchorOf(heading)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}

/** Where the link of a page leads once it is served; null for a file that is not served. */
function served(href: string): string | null {
  const page = PAGE_LINK.exec(href)
  if (page !== null) return `/docs/${page[1]}${page[2] ?? ''}`
  return PLAIN_LINK.test(href) ? href : null
}

/** The first sentence of a paragraph of Markdown, as plain text. */
function sentenceOf(paragraph: string): string {
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
  const text = plain.replaceAll(/\s+/g, ' ')
  const end = text.search(/[.:](?: |$)/)
  return end === -1 ? text : `${text.slice(0, end)}.`
}

/** Makes wide elements scroll by keyboard too. Escaped text contains no such tags. */
function reachable(html: string): string {
  return html.replaceAll(/<(table|pre)>/g, '<$1 tabindex="0">')
}

export function render(markdown: string): Rendered {
  const marked = new Marked({ gfm: true })
  const anchor = anchors()
  marked.use({
    renderer: {
      html: ({ text }) => (COMMENT.test(text) ? '' : escaped(text)),
      image: ({ text }) => escaped(text),
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens)
        return `<h${depth} id="${escaped(anchor(text))}">${inner}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const target = served(href)
        return target === null ? inner : `<a href="${escaped(target)}">${inner}</a>`
      },
    },
  })
  const tokens = marked.lexer(markdown)
  const isHeading = (token: { readonly type: string }): token is Tokens.Heading =>
    token.type === 'heading'
  const title = tokens.find(isHeading)?.text ?? ''
  const paragraph = tokens.find(({ type }) => type === 'paragraph')
  const about = paragraph === undefined ? '' : sentenceOf(paragraph.raw.trim())
  return { title, about, body: reachable(marked.parser(tokens)) }
}
