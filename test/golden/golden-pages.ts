import assert from 'node:assert/strict'
import {
  decideKeyRemoval,
  decideMarketPage,
  decidePageRemoval,
  decidePropertyKey,
} from '../../engine/core/decide/pages.ts'
import type { GoldenCast } from './golden-cast.ts'

const PAGES_MAX = 12
const KEYS_MAX = 4

/** Market pages and properties, in a golden flow. */
export class GoldenPages {
  readonly #cast: GoldenCast

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#putPage(),
    () => this.#putPage(),
    () => this.#removePage(),
    () => this.#putKey(),
    () => this.#putKey(),
    () => this.#removeKey(),
  ]

  #putPage(): void {
    const { driver, random } = this.#cast
    const ids = [...driver.clearing.pages.tree.pages.keys()]
    const isNew = ids.length < PAGES_MAX && random.chance(0.5)
    const pageId = isNew ? this.#cast.hex(4) : random.pick([this.#cast.hex(4), ...ids])
    const page = {
      pageId,
      name: this.#cast.name('Seite'),
      slug: random.pick(['a', 'b', 'c']),
      parentId: random.pick([null, ...ids]),
      icon: random.pick(['', '☀']),
      description: random.pick([null, 'Größe']),
      sortOrder: random.below(3),
      isInNavigation: random.chance(0.8),
      contentJson: '{"baseFilter":{"tag":["é"]},"filterGroups":[],"metadata":{}}',
    }
    if (decideMarketPage(driver.clearing, page) !== null) return
    driver.control({ kind: 'putMarketPage', page, by: 'root' })
  }

  #removePage(): void {
    const { driver, random } = this.#cast
    const ids = [...driver.clearing.pages.tree.pages.keys()]
    if (ids.length === 0) return
    const pageId = random.pick(ids)
    if (decidePageRemoval(driver.clearing, pageId) !== null) return
    driver.control({ kind: 'removeMarketPage', pageId, by: 'root' })
  }

  #putKey(): void {
    const { driver, random } = this.#cast
    const { keys } = driver.clearing.properties
    const known = keys.size < KEYS_MAX ? undefined : random.pick([...keys.values()])
    const keyId = known?.keyId ?? this.#cast.hex(4)
    const first = known?.options[0]
    const option = {
      optionId: this.#cast.hex(4),
      value: this.#cast.name('Wert'),
      label: '',
      sortOrder: 0,
      parentOptionId: random.chance(0.5) ? (first?.optionId ?? null) : null,
      metadataJson: '{}',
    }
    const change = {
      key: {
        keyId,
        name: 'Art',
        slug: `k${keyId}`,
        isSystem: random.chance(0.2),
        type: random.pick(['select', 'multi-select'] as const),
        metadataJson: '{"a":1}',
      },
      options: [option],
      removedOptionIds: (known?.options ?? []).slice(-1).map(({ optionId }) => optionId),
    }
    if (decidePropertyKey(driver.clearing, change) !== null) return
    driver.control({ kind: 'putPropertyKey', ...change, by: 'root' })
  }

  #removeKey(): void {
    const { driver, random } = this.#cast
    const ids = [...driver.clearing.properties.keys.keys()]
    if (ids.length === 0 || random.chance(0.5)) return
    const keyId = random.pick(ids)
    assert.equal(decideKeyRemoval(driver.clearing, keyId), null)
    driver.control({ kind: 'removePropertyKey', keyId, by: 'root' })
  }
}
