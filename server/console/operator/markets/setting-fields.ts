// The fields that the forms of markets have for the settings of the exchange's own table.

import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  type MarketSetting,
  type SettingKind,
} from '../../../../engine/domain/markets/market-settings.ts'
import type { FieldKind, FormField } from '../form-body.ts'

const KIND: Readonly<Record<SettingKind, FieldKind>> = {
  line: 'text',
  lines: 'lines',
  link: 'text',
  key: 'text',
  labels: 'labels',
  values: 'pairs',
  collateral: 'units',
  shares: 'units',
  bps: 'number',
  ms: 'number',
  yes: 'check',
  allowed: 'forbid',
  address: 'text',
}

function fieldsOf(rows: readonly MarketSetting[]): readonly FormField[] {
  return rows.map(({ name, kind, label, hint }) => {
    return { name, label, kind: KIND[kind], ...(hint === undefined ? {} : { hint }) }
  })
}

export const EDITED_FIELDS = fieldsOf(EDITED_SETTINGS)
export const CREATED_FIELDS = fieldsOf([...EDITED_SETTINGS, ...FIXED_SETTINGS])
