// Access: an operator ends the tokens and sessions of a profile, and adds or removes operators.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { ROLES, ROOT_OPERATOR } from '../../../engine/domain/operator.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime, profileId } from '../../edge/http/schema/fields.ts'
import { integer, means, nullable, oneOf, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import { message } from '../shapes.ts'
import type { AdminServices } from './services.ts'

const AT = '2026-01-01T00:00:00.000Z'
const ENDED = 'All sessions of the profile ended'
const REVOKED = 'API token revoked successfully'

const operatorName = () => {
  const most = LIMITS.operatorNameCharactersMax
  const form = `1 to ${most} lower-case letters, digits and dashes, a letter first.`
  return means(
    pattern(`^[a-z][a-z0-9-]{0,${most - 1}}$`, form),
    'Name of the operator, as shown in the audit log.',
  )
}
const role = () => {
  return means(
    oneOf(...ROLES),
    'Role of the operator; each role includes the permissions of the roles before it.',
  )
}
const operatorSince = 'When the operator was added.'

export const revokeProfileTokens = route({
  method: 'DELETE',
  path: '/admin/profiles/:profileId/tokens',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Revokes every API token of a profile.',
  params: { profileId: profileId() },
  reply: object({
    profileId: profileId(),
    revoked: means(integer(0), 'How many active tokens were revoked.'),
  }),
  means: 'No token of the profile can sign calls.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND'],
  example: { params: { profileId: 1 }, reply: { profileId: 1, revoked: 3 } },
  handle: async ({ params, caller }, { accounts }: AdminServices) => {
    const done = await accounts.revokeTokens(params.profileId, caller.operator.name)
    if (done instanceof Reject) return refuse(done)
    return { profileId: params.profileId, revoked: done.count }
  },
})

export const revokeProfileToken = route({
  method: 'DELETE',
  path: '/admin/profiles/:profileId/tokens/:tokenId',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Revokes one API token of a profile.',
  params: {
    profileId: profileId(),
    tokenId: means(text(64, 1), 'Id of the API token to revoke.'),
  },
  reply: message(),
  means: 'The token can no longer sign calls.',
  rejects: ['OVERLOADED', 'TOKEN_UNKNOWN'],
  example: { params: { profileId: 1, tokenId: ORDER_ID }, reply: { message: REVOKED } },
  handle: async ({ params, caller }, { accounts }: AdminServices) => {
    const by = caller.operator.name
    const refused = await accounts.revokeToken(params.profileId, params.tokenId, by)
    return refused === null ? { message: REVOKED } : refuse(refused)
  },
})

export const endProfileSessions = route({
  method: 'DELETE',
  path: '/admin/profiles/:profileId/sessions',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Ends every session of a profile; its wallet may log in again.',
  params: { profileId: profileId() },
  reply: message(),
  means: 'The profile has no open session.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND'],
  example: { params: { profileId: 1 }, reply: { message: ENDED } },
  handle: async ({ params, caller }, { accounts, pipeline }: AdminServices) => {
    if (pipeline.clearing.accounts.byId(params.profileId) === undefined) {
      return refuse(await pipeline.refused(REJECT.PROFILE_NOT_FOUND))
    }
    const refused = await accounts.logoutEverywhere(params.profileId, caller.operator.name)
    return refused === null ? { message: ENDED } : refuse(refused)
  },
})

export const addOperator = route({
  method: 'POST',
  path: '/admin/operators',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Adds an operator. Its token is returned only once.',
  body: object({ name: operatorName(), role: role() }),
  status: 201,
  reply: object({
    name: operatorName(),
    role: role(),
    token: means(text(), 'Bearer token of the operator. Store it: it is never shown again.'),
    createdAt: means(isoTime(), operatorSince),
  }),
  means: 'The operator is added.',
  links: {
    remove: {
      to: 'DELETE /admin/operators/:name',
      about: 'Removes the operator and its token.',
      params: { name: '/name' },
    },
  },
  rejects: ['OVERLOADED', 'OPERATOR_TAKEN', 'OPERATOR_LIMIT'],
  example: {
    body: { name: 'ada', role: 'support' },
    reply: { name: 'ada', role: 'support', token: '…', createdAt: AT },
  },
  handle: async ({ body, caller }, { operators }: AdminServices) => {
    const made = await operators.add(body.name, body.role, caller.operator.name)
    if (made instanceof Reject) return refuse(made)
    return { ...body, token: made.token, createdAt: isoText(made.createdMs) }
  },
})

export const listOperators = route({
  method: 'GET',
  path: '/admin/operators',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists every operator with its role, without tokens; the first start created the first.',
  reply: list(
    object({
      name: operatorName(),
      role: role(),
      createdAt: means(nullable(isoTime()), `${operatorSince} Null for the first.`),
    }),
  ),
  means: 'Every operator, in the order of creation.',
  example: {
    reply: [
      { name: ROOT_OPERATOR, role: 'root', createdAt: null },
      { name: 'ada', role: 'support', createdAt: AT },
    ],
  },
  handle: async (_input, { pipeline }: AdminServices) => {
    const named = pipeline.clearing.operators.all
    await pipeline.durable()
    const views = named.map(({ name, role: held, createdMs }) => {
      return { name, role: held, createdAt: isoText(createdMs) }
    })
    return [{ name: ROOT_OPERATOR, role: 'root' as const, createdAt: null }, ...views]
  },
})

export const removeOperator = route({
  method: 'DELETE',
  path: '/admin/operators/:name',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Removes an operator: its token becomes invalid, and its name can be used again.',
  params: { name: operatorName() },
  reply: message(),
  means: 'The operator is removed.',
  rejects: ['OVERLOADED', 'OPERATOR_ROOT', 'OPERATOR_NOT_FOUND'],
  example: { params: { name: 'ada' }, reply: { message: 'Operator removed' } },
  handle: async ({ params, caller }, { operators }: AdminServices) => {
    const refused = await operators.remove(params.name, caller.operator.name)
    return refused === null ? { message: 'Operator removed' } : refuse(refused)
  },
})
