// The role that an operator needs to edit a profile field, beyond the role of the route. Setting a
// name is support work (support). Setting a rank or a capability affects money (money). A token
// acts for its profile, so only root creates one.

import { ROLES, type Role } from '../../../engine/domain/operator.ts'

const ROLE_OF_FIELD: Readonly<Record<string, Role>> = {
  rank: 'money',
  feeCapBps: 'money',
  smartWallet: 'money',
  scopes: 'money',
  apiToken: 'root',
}

/** The lowest role that may set all of these fields. */
export function roleForFields(fields: object): Role {
  const needed = Object.entries(fields).flatMap(([name, value]) => {
    const isRequested = value !== undefined && Object.hasOwn(ROLE_OF_FIELD, name)
    return isRequested ? [ROLES.indexOf(ROLE_OF_FIELD[name])] : []
  })
  return ROLES[Math.max(ROLES.indexOf('support'), ...needed)]
}
