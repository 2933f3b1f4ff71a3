// The public ids of curated packs and of their purchases. Each is a UUID of version 8 (RFC 9562)
// that contains the seq of a command; callers cannot choose one.
//
//    KKKKKKKK-0000-8000-8000-NNNNNNNNNNNN     K the kind, N the seq, hexadecimal

import type { Seq } from '../../../engine/domain/ids.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { pattern } from '../../edge/http/schema/scalars.ts'

const KINDS = { curated: '63757261', position: '706f7369' } as const
type PackIdKind = keyof typeof KINDS

const FIXED = '0000-8000-8000'
const SEQ_DIGITS = 12
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

export const packUuid = (what: string) => means(pattern(UUID, 'A UUID.'), what)

export function packIdOf(kind: PackIdKind, seq: Seq): string {
  return `${KINDS[kind]}-${FIXED}-${seq.toString(16).padStart(SEQ_DIGITS, '0')}`
}

/** 0, which no command has, for a UUID of another kind. */
export function seqOfPackId(kind: PackIdKind, id: string): Seq {
  const head = `${KINDS[kind]}-${FIXED}-`
  const lower = id.toLowerCase()
  return lower.startsWith(head) ? Number.parseInt(lower.slice(head.length), 16) : 0
}
