// Operators by name, beside the first one, whose token the server keeps itself. Only commands
// change them; one thread writes. Invariant: a name belongs to one operator, and none of them has
// the name of the first.

import { assert } from '../../domain/assert.ts'
import type { ControlCommand } from '../../domain/command.ts'
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

type OperatorCommand = Extract<ControlCommand, { kind: 'addOperator' | 'removeOperator' }>

export class Operators {
  #all: readonly Operator[] = []

  /** Oldest first. Every change makes a new list. */
  get all(): readonly Operator[] {
    return this.#all
  }

  byName(name: string): Operator | undefined {
    return this.#all.find((each) => each.name === name)
  }

  apply(command: OperatorCommand): void {
    const { kind, name } = command
    const known = this.byName(name)
    if (kind === 'removeOperator') {
      assert(known !== undefined, 'only an operator is removed')
      this.#all = this.#all.filter((each) => each !== known)
      return
    }
    assert(known === undefined && name !== ROOT_OPERATOR, 'a name is one operator')
    const { role, tokenDigest, nowMs: createdMs } = command
    this.#all = [...this.#all, { name, role, tokenDigest, createdMs }]
  }

  /** All the state, for the state hash; no fact while there is no operator beside the first. */
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
