import assert from 'node:assert/strict'
import { text } from '../../server/edge/http/schema/scalars.ts'
import { compile, openObject } from '../../server/edge/http/schema/schema.ts'
import { shaped } from '../support/exchange-client.ts'
import type { Answer } from './socket.ts'

// What the fuzz reads out of answers.

const tokenShape = compile(openObject({ tokenId: text(), secret: text() }))

export function tokenOf(body: unknown): { tokenId: string; secret: string } {
  const { tokenId, secret } = shaped(tokenShape, body)
  return { tokenId, secret }
}

export function parsed({ text: given }: Pick<Answer, 'text'>): unknown {
  return parsedText(given)
}

export function parsedText(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

/** The cookie that an answer sets, as `name=value`. */
export function cookieOf(answer: Answer): string {
  const cookie = answer.headers.get('set-cookie')
  assert.ok(
    answer.status === 200 && cookie !== undefined,
    `a login opens a session: ${answer.text}`,
  )
  return cookie.split(';')[0]
}

/** Every text in a JSON value, with the name of its field. */
export function textsIn(value: unknown, name = ''): [name: string, text: string][] {
  if (typeof value === 'string') return [[name, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    textsIn(each, Array.isArray(value) ? name : key),
  )
}
