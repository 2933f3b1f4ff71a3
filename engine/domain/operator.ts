// Operators: who they are and what they may do. Each role may do all that the ones before it may.

export const ROLES = ['read', 'support', 'money', 'root'] as const
export type Role = (typeof ROLES)[number]

/** Whose token the server makes at its first start, or is given by `--admin-token`. */
export const ROOT_OPERATOR = 'root'

/** Whether one role may do what is asked of another. */
export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
