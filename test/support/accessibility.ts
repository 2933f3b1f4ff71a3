import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

// What keeps people from using a page: the findings of axe-core that it calls serious or critical,
// and content that is wider than the screen.

const GRAVE = new Set(['serious', 'critical'])

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Nothing grave is found; `name` says which page it is. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(`${axe.source};void 0`)
  const run = 'axe.run(document, { resultTypes: ["violations"] }).then((all) => all.violations)'
  const found: readonly Finding[] = await page.evaluate(run)
  const grave = found.filter(({ impact }) => impact !== null && GRAVE.has(impact))
  const said = grave.map(({ id, help, nodes }) => {
    const where = nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`)
    return [`${id}: ${help}`, ...where].join('\n')
  })
  assert.deepEqual(said, [], `${name}: ${said.join('\n')}`)
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
