import { mayAct } from '../../../engine/domain/operator.ts'
import type { Guarded } from '../../auth/auth-scheme.ts'
import type { Caller } from '../../messages/call.ts'
import { type Refusal, roleMissing } from '../../messages/refusal.ts'

/** The refusal of an operator whose role does not allow the call; null when it does. */
export function roleRefusal({ accepts }: Guarded, { operator }: Caller): Refusal | null {
  const needed = accepts.find(({ scheme }) => scheme === 'admin')?.role
  if (operator === undefined || needed === undefined) return null
  return mayAct(operator.role, needed) ? null : roleMissing(needed, operator)
}
