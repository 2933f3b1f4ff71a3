// The lines of `outcomex admin` that no single route gives: any call as it is, and `operator`.

import { ROLES } from '../../../engine/domain/operator.ts'
import type { Line, SubCommand } from '../../command-line.ts'
import { flagOf, readSetting, WrongUse } from '../../settings/flags.ts'
import { oneOf, optional } from '../../settings/kinds.ts'

export interface AdminCall {
  readonly method: string
  readonly path: string
  /** JSON text, '' for none. */
  readonly body: string
}

/** A line and the call that it becomes. */
export interface Form extends SubCommand {
  /** The flags or words of the fields of the call, for refusals. */
  readonly fields: Readonly<Record<string, string>>
  /** The list of the reply that is shown as a table. */
  readonly table?: string | undefined
  readonly callOf: (line: Line) => AdminCall
}

function fullCall({ name: method, words: [path, body = ''] }: Line): AdminCall {
  if (!path.startsWith('/')) {
    throw new WrongUse(`Write: outcomex admin ${method} /admin/... ['{"json": true}']`)
  }
  if (body === '') return { method, path, body }
  try {
    JSON.parse(body)
    // The text is sent unchanged: a number past 2^53 must reach the server's own check.
    return { method, path, body }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new WrongUse(`The body is not JSON (${why}); put it in single quotes`)
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const methodForms = METHODS.map((method): [string, Form] => {
  return [
    method,
    {
      about: 'Any call, as it is.',
      group: 'Calls in full:',
      alias: method.toLowerCase(),
      words: [
        { shape: '<PATH>', about: 'Like /admin/markets.' },
        { shape: '[JSON]', about: 'The body.' },
      ],
      fields: {},
      callOf: fullCall,
    },
  ]
})

const ROLE = flagOf('role', optional(oneOf(...ROLES)), undefined, 'What a new one may do.')

const operator: Form = {
  about: 'Names an operator, or ends one. The token of a new one is shown here and never again.',
  group: 'Trading, operators:',
  words: [
    { shape: '<add|remove>', about: 'What is done.' },
    { shape: '<NAME>', about: 'The name of the operator.' },
  ],
  flags: [ROLE],
  fields: { name: 'NAME', role: '--role' },
  callOf({ words: [act, name], given }) {
    const role = readSetting(ROLE, given)
    if (act === 'remove') {
      return { method: 'DELETE', path: `/admin/operators/${encodeURIComponent(name)}`, body: '' }
    }
    if (act !== 'add') throw new WrongUse(`'${act}' must be add or remove`)
    if (role === undefined) throw new WrongUse(`Say what ${name} may do: --role ${ROLES.join('|')}`)
    return { method: 'POST', path: '/admin/operators', body: JSON.stringify({ name, role }) }
  },
}

export const OWN_FORMS: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(methodForms),
  operator,
}

/** The calls that these lines make. */
export const OWN_CALLS = ['POST /admin/operators', 'DELETE /admin/operators/:name']
