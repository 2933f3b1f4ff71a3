// The tree of market pages (rules §12.5). Only commands change it; one thread writes. Each change
// creates a new tree, so readers may keep theirs. Invariants: a path belongs to one page; a former
// path points to the page that left it, and no page has that path now.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { MarketPage, PlacedPage } from '../../domain/markets/market-page.ts'
import type { TimeMs } from '../../domain/units.ts'
import { fieldsOf } from '../cells/hashed-fields.ts'

export interface PageTree {
  /** By id, oldest first. */
  readonly pages: ReadonlyMap<string, PlacedPage>
  /** Former paths of moved pages with the page's id, oldest first. */
  readonly moved: ReadonlyMap<string, string>
}

export interface CapturedPages {
  readonly pages: readonly PlacedPage[]
  readonly moved: readonly (readonly [path: string, pageId: string])[]
}

export class MarketPages {
  tree: PageTree = { pages: new Map(), moved: new Map() }

  apply(command: CommandOf<'pages'>): void {
    if (command.kind === 'putMarketPage') this.#put(command.page, command.nowMs)
    else this.#remove(command.pageId)
  }

  #put(page: MarketPage, nowMs: TimeMs): void {
    const pages = new Map(this.tree.pages)
    const moved = new Map(this.tree.moved)
    const before = pages.get(page.pageId)
    const parent = page.parentId === null ? undefined : pages.get(page.parentId)
    assert(page.parentId === null || parent !== undefined, 'the parent of a page exists')
    const fullPath = `${parent?.fullPath ?? ''}/${page.slug}`
    const times = { createdMs: before?.createdMs ?? nowMs, updatedMs: nowMs }
    pages.set(page.pageId, { ...page, fullPath, ...times })
    if (before !== undefined && before.fullPath !== fullPath) {
      moved.set(before.fullPath, page.pageId)
      for (const each of [...pages.values()]) {
        if (!each.fullPath.startsWith(`${before.fullPath}/`)) continue
        const path = `${fullPath}${each.fullPath.slice(before.fullPath.length)}`
        moved.delete(each.fullPath)
        moved.set(each.fullPath, each.pageId)
        pages.set(each.pageId, { ...each, fullPath: path, updatedMs: nowMs })
      }
    }
    for (const each of pages.values()) moved.delete(each.fullPath)
    for (const path of moved.keys()) {
      if (moved.size <= LIMITS.movedPathsMax) break
      moved.delete(path)
    }
    this.tree = { pages, moved }
  }

  #remove(pageId: string): void {
    const pages = new Map(this.tree.pages)
    assert(pages.delete(pageId), 'only a page is removed')
    for (const { parentId } of pages.values()) {
      assert(parentId !== pageId, 'a page with pages below it is not removed')
    }
    const moved = [...this.tree.moved].filter(([, movedId]) => movedId !== pageId)
    this.tree = { pages, moved: new Map(moved) }
  }

  /** The full state, for the state hash; empty without pages. */
  *hashedFields(): Iterable<unknown> {
    const { pages, moved } = this.capture()
    for (const page of pages) yield ['page', fieldsOf(page)]
    for (const each of moved) yield ['moved page', ...each]
  }

  capture(): CapturedPages {
    return { pages: [...this.tree.pages.values()], moved: [...this.tree.moved] }
  }

  restore({ pages, moved }: CapturedPages): void {
    assert(this.tree.pages.size === 0, 'only a fresh state is restored')
    this.tree = {
      pages: new Map(pages.map((page) => [page.pageId, page])),
      moved: new Map(moved),
    }
  }
}
