// Operators by name, except the first one, whose token the server keeps. Only commands change them;
// one thread writes. Invariant: names are unique, and no operator has the name of the first one.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import { ROOT_OPERATOR, type Role } from '../../domain/operator.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface Operator {
  readonly name: string
  readonly role: Role
  /** Lowercase hex SHA-256. */
  readonly tokenDigest: string
  readonly createdMs: TimeMs
}

export type CapturedOperators = readonly Operator[]

export class Operators {
  #all: readonly Operator[] = []

  /** Oldest first. Each change creates a new list. */
  get all(): readonly Operator[] {
    return this.#all
  }

  byName(name: string): Operator | undefined {
    return this.#all.find((each) => each.name === name)
  }

  apply(command: CommandOf<'operators'>): void {
    const { kind, name } = command
    const known = this.byName(name)
    if (kind === 'removeOperator') {
      assert(known !== undefined, 'only an operator is removed')
      this.#all = this.#all.filter((each) => each !== known)
      return
    }
    assert(known === undefined && name !== ROOT_OPERATOR, 'an operator name is unique')
    const { role, tokenDigest, nowMs: createdMs } = command
    this.#all = [...this.#all, { name, role, tokenDigest, createdMs }]
  }

  /** The full state, for the state hash; empty without operators besides the first. */
  *hashedFields(): Iterable<unknown> {
    for (const { name, role, tokenDigest, createdMs } of this.#all) {
      yield ['operator', name, role, tokenDigest, createdMs]
    }
  }

  capture(): CapturedOperators {
    return this.#all
  }

  restore(captured: CapturedOperators): void {
    assert(this.#all.length === 0, 'only a fresh state is restored')
    this.#all = captured
  }
}
