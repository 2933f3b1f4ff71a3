// One page and one property, shared by the examples of several calls.

const PAGE_ID = '3b241101-e2bb-4255-8caf-4136c566a962'
const KEY_ID = '9f8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d'
const AT = '2026-01-01T00:00:00.000Z'

export const PAGE_EXAMPLE = {
  id: PAGE_ID,
  name: 'Bitcoin',
  slug: 'bitcoin',
  fullPath: '/crypto/bitcoin',
  description: null,
  baseFilter: { ticker: ['BTC'] },
  filterGroups: [{ name: 'Length', slug: 'length', options: [{ label: 'A day', value: 'day' }] }],
  metadata: {},
  breadcrumb: [
    { name: 'Crypto', slug: 'crypto', path: '/crypto' },
    { name: 'Bitcoin', slug: 'bitcoin', path: '/crypto/bitcoin' },
  ],
}

const { breadcrumb: _breadcrumb, ...PAGE_FIELDS } = PAGE_EXAMPLE
export const ADMIN_PAGE_EXAMPLE = {
  ...PAGE_FIELDS,
  parentId: null,
  icon: '',
  sortOrder: 0,
  inNavigation: true,
  createdAt: AT,
  updatedAt: AT,
}

const KEY_FIELDS_EXAMPLE = {
  id: KEY_ID,
  name: 'Ticker',
  slug: 'ticker',
  type: 'select' as const,
  isSystem: false,
  metadata: {},
  createdAt: AT,
  updatedAt: AT,
}

export const OPTION_EXAMPLE = {
  id: PAGE_ID,
  propertyKeyId: KEY_ID,
  value: 'BTC',
  label: 'Bitcoin',
  sortOrder: 0,
  parentOptionId: null,
  metadata: {},
  createdAt: AT,
  updatedAt: AT,
}

export const KEY_EXAMPLE = { ...KEY_FIELDS_EXAMPLE, options: [OPTION_EXAMPLE] }
export const LISTED_KEY_EXAMPLE = KEY_FIELDS_EXAMPLE
