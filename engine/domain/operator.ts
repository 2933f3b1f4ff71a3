// Roles of operators. Each role may do all that the roles before it may do.

export const ROLES = ['read', 'support', 'money', 'root'] as const
export type Role = (typeof ROLES)[number]

/**
 * The first operator. The server makes its token at the first start, or `--admin-token` gives it.
 */
export const ROOT_OPERATOR = 'root'

/** Whether `role` may do what needs the role `needed`. */
export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
