import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

// What keeps people from using a page: the findings of axe-core that it calls serious or critical,
// and content that is wider than the screen.

const GRAVE = new Set(['serious', 'critical'])

interface Node {
  readonly html: string
  readonly failureSummary?: string
  /** Selectors of the element; its last one ends in it. */
  readonly target: readonly string[]
}

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly help: string
  readonly nodes: readonly Node[]
}

/** A finding ends in the elements that are known for it; with others it stays. */
function withoutKnown(found: readonly Finding[], known: readonly KnownFault[]): Finding[] {
  return found.flatMap((finding) => {
    const selectors = known.flatMap(({ rule, selector }) => (rule === finding.id ? selector : []))
    const nodes = finding.nodes.filter(({ target }) => {
      return !target.some((path) => selectors.some((selector) => path.endsWith(selector)))
    })
    return nodes.length === 0 ? [] : [{ ...finding, nodes }]
  })
}

/** A fault that cannot be fixed here: one rule, on the elements of one selector. */
export interface KnownFault {
  readonly rule: string
  readonly selector: string
}

/** Nothing grave is found; `name` says which page it is. */
export async function assertAccessible(
  page: Page,
  name: string,
  known: readonly KnownFault[] = [],
): Promise<void> {
  await page.evaluate(`${axe.source};void 0`)
  const run = 'axe.run(document, { resultTypes: ["violations"] }).then((all) => all.violations)'
  const found: readonly Finding[] = await page.evaluate(run)
  const grave = withoutKnown(found, known).filter(({ impact }) => {
    return impact !== null && GRAVE.has(impact)
  })
  const stated = grave.map(({ id, help, nodes }) => {
    const where = nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`)
    return [`${id}: ${help}`, ...where].join('\n')
  })
  assert.deepEqual(stated, [], `${name}: ${stated.join('\n')}`)
}

/** The page does not scroll sideways. */
export async function assertNotWide(page: Page, name: string): Promise<void> {
  const root = 'document.scrollingElement'
  const wide = 'el => el.getBoundingClientRect().right > innerWidth + 1'
  const measured: { readonly over: number; readonly wide: readonly string[] } = await page.evaluate(
    `({ over: ${root}.scrollWidth - innerWidth,
        wide: [...document.body.querySelectorAll('*')].filter(${wide})
          .map((el) => el.outerHTML.slice(0, 120)).slice(0, 5) })`,
  )
  assert.ok(
    measured.over <= 0,
    `${name} is ${measured.over} px too wide: ${measured.wide.join('\n')}`,
  )
}
