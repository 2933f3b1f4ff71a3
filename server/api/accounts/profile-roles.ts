// The role that an operator needs to edit a field of a profile, beyond the role of the route. To
// set a name is help (support); to set a rank or a capability is to move money (money). A token
// acts in the place of its profile, so only root makes one.

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
