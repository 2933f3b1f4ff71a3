// Operator roles. Each role includes the rights of the roles before it.

export const ROLES = ['read', 'support', 'money', 'root'] as const
export type Role = (typeof ROLES)[number]

/** The first operator. Its token is created at the first start or given by `--admin-token`. */
export const ROOT_OPERATOR = 'root'

/** Whether `role` includes the rights of `needed`. */
export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
