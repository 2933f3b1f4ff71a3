// Market properties and their options (rules §12.5). Only commands change them; one thread writes.
// Each change creates a new map, so readers may keep theirs.
// Invariants: a slug belongs to one key, a value to one option of its key; the parent of an option
// is an option of the same key.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { PlacedKey, PlacedOption } from '../../domain/markets/market-page.ts'
import { fieldsOf } from '../cells/hashed-fields.ts'

export type CapturedPropertyKeys = readonly PlacedKey[]

export class PropertyKeys {
  /** By id, oldest first. */
  keys: ReadonlyMap<string, PlacedKey> = new Map()

  /** Options of all keys. */
  get optionCount(): number {
    let count = 0
    for (const { options } of this.keys.values()) count += options.length
    return count
  }

  apply(command: CommandOf<'properties'>): void {
    const keys = new Map(this.keys)
    if (command.kind === 'removePropertyKey') {
      assert(keys.delete(command.keyId), 'only a property is removed')
    } else {
      const { key, nowMs } = command
      const before = keys.get(key.keyId)
      const options = optionsAfter(before?.options ?? [], command)
      const createdMs = before?.createdMs ?? nowMs
      keys.set(key.keyId, { ...key, createdMs, updatedMs: nowMs, options })
    }
    this.keys = keys
  }

  /** The full state, for the state hash; empty without keys. */
  *hashedFields(): Iterable<unknown> {
    for (const { options, ...key } of this.keys.values()) {
      yield ['property', fieldsOf(key)]
      for (const option of options) yield ['option', fieldsOf(option)]
    }
  }

  capture(): CapturedPropertyKeys {
    return [...this.keys.values()]
  }

  restore(captured: CapturedPropertyKeys): void {
    assert(this.keys.size === 0, 'only a fresh state is restored')
    this.keys = new Map(captured.map((key) => [key.keyId, key]))
  }
}

/** An existing option keeps its position and creation time. */
function optionsAfter(
  before: readonly PlacedOption[],
  command: Extract<CommandOf<'properties'>, { kind: 'putPropertyKey' }>,
): readonly PlacedOption[] {
  const { nowMs } = command
  const after = new Map(before.map((option) => [option.optionId, option]))
  for (const optionId of command.removedOptionIds) {
    assert(after.delete(optionId), 'only an option is removed')
  }
  for (const option of command.options) {
    const createdMs = after.get(option.optionId)?.createdMs ?? nowMs
    after.set(option.optionId, { ...option, createdMs, updatedMs: nowMs })
  }
  return [...after.values()]
}
