import { readSetting } from '../../../settings/flags.ts'
import { commaList, onOff, optional, words } from '../../../settings/kinds.ts'
import { bare, type Form, own, post, put } from '../admin-form.ts'
import { propertyValues } from '../admin-kinds.ts'

// The forms of `outcomex admin` for market pages and for the properties of markets.

const VALUES = /^[^,=]{1,64}$/

const PAGE_FLAGS = {
  parent: own(
    'parent',
    optional(words('ID', 'the id of a page, or none')),
    undefined,
    'page, edit-page: the page above; none for the top.',
  ),
  filter: own(
    'filter',
    optional(propertyValues),
    undefined,
    'page, edit-page: what its markets have; one value of each key is enough.',
  ),
  hidden: own('hidden', onOff, false, 'page: keep it out of the tree of pages.'),
  name: own(
    'name',
    optional(words('NAME', 'a name')),
    undefined,
    'edit-page, edit-property: its new name.',
  ),
  slug: own(
    'slug',
    optional(words('SLUG', 'a slug')),
    undefined,
    'edit-page, edit-property: its new slug; old paths of pages lead to the new one.',
  ),
  options: own(
    'options',
    optional(commaList('A,B', VALUES, 'values like BTC,ETH')),
    undefined,
    'property, edit-property: values to add.',
  ),
  drop: own(
    'drop',
    optional(commaList('A,B', VALUES, 'values like BTC,ETH')),
    undefined,
    'edit-property: values to remove.',
  ),
  multi: own('multi', onOff, false, 'property: a market may have several of its values.'),
} as const

type Given = Parameters<Form['call']>[1]

/** What the flags of pages say; absent where a flag is absent. */
function pageFields(given: Given): Readonly<Record<string, unknown>> {
  const parent = readSetting(PAGE_FLAGS.parent, given)
  const filter = readSetting(PAGE_FLAGS.filter, given)
  return {
    ...(parent === undefined ? {} : { parentId: parent === 'none' ? null : parent }),
    ...(filter === undefined ? {} : { baseFilter: filter }),
  }
}

function newNames(given: Given): Readonly<Record<string, unknown>> {
  const name = readSetting(PAGE_FLAGS.name, given)
  const slug = readSetting(PAGE_FLAGS.slug, given)
  return { ...(name === undefined ? {} : { name }), ...(slug === undefined ? {} : { slug }) }
}

function options(given: Given): Readonly<Record<string, unknown>> {
  const values = readSetting(PAGE_FLAGS.options, given)
  return values === undefined ? {} : { options: values.map((value) => ({ value })) }
}

const pagePath = (id: string) => `/admin/market-pages/${encodeURIComponent(id)}`
const keyPath = (id: string) => `/admin/property-keys/${encodeURIComponent(id)}`

function removing(what: 'page' | 'property', pathOf: (id: string) => string): Form {
  return {
    use: `admin remove-${what} ID`,
    flags: [],
    words: 1,
    fields: { id: 'ID' },
    call: ([id]) => bare('DELETE', pathOf(id)),
  }
}

function listing(what: 'pages' | 'properties', path: string): Form {
  return { use: `admin ${what}`, flags: [], words: 0, fields: {}, call: () => bare('GET', path) }
}

const OF_PAGE = { parentId: '--parent', baseFilter: '--filter' }

export const PAGE_FORMS: Readonly<Record<string, Form>> = {
  page: {
    use: 'admin page SLUG "Name" [--parent ID] [--filter K=V,K=V] [--hidden]',
    flags: [PAGE_FLAGS.parent, PAGE_FLAGS.filter, PAGE_FLAGS.hidden],
    words: 2,
    fields: { slug: 'SLUG', name: 'the name', ...OF_PAGE },
    call([slug, name], given) {
      const hidden = readSetting(PAGE_FLAGS.hidden, given) ? { inNavigation: false } : {}
      return post('/admin/market-pages', { slug, name, ...pageFields(given), ...hidden })
    },
  },
  'edit-page': {
    use: 'admin edit-page ID [--name NAME] [--slug SLUG] [--parent ID] [--filter K=V,K=V]',
    flags: [PAGE_FLAGS.name, PAGE_FLAGS.slug, PAGE_FLAGS.parent, PAGE_FLAGS.filter],
    words: 1,
    fields: { id: 'ID', name: '--name', slug: '--slug', ...OF_PAGE },
    call: ([id], given) => put(pagePath(id), { ...newNames(given), ...pageFields(given) }),
  },
  'remove-page': removing('page', pagePath),
  pages: listing('pages', '/admin/market-pages'),
  property: {
    use: 'admin property SLUG "Name" [--options A,B] [--multi]',
    flags: [PAGE_FLAGS.options, PAGE_FLAGS.multi],
    words: 2,
    fields: { slug: 'SLUG', name: 'the name', options: '--options' },
    call([slug, name], given) {
      const type = readSetting(PAGE_FLAGS.multi, given) ? { type: 'multi-select' } : {}
      return post('/admin/property-keys', { slug, name, ...type, ...options(given) })
    },
  },
  'edit-property': {
    use: 'admin edit-property ID [--name NAME] [--slug SLUG] [--options A,B] [--drop A,B]',
    flags: [PAGE_FLAGS.name, PAGE_FLAGS.slug, PAGE_FLAGS.options, PAGE_FLAGS.drop],
    words: 1,
    fields: {
      ...{ id: 'ID', name: '--name', slug: '--slug' },
      ...{ options: '--options', removeOptions: '--drop' },
    },
    call([id], given) {
      const drop = readSetting(PAGE_FLAGS.drop, given)
      const removed = drop === undefined ? {} : { removeOptions: drop }
      return put(keyPath(id), { ...newNames(given), ...options(given), ...removed })
    },
  },
  'remove-property': removing('property', keyPath),
  properties: listing('properties', '/admin/property-keys'),
}
