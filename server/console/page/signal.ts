// A value that others follow.

export type Unwatch = () => void

export class Signal<T> {
  #value: T
  readonly #watchers = new Set<(value: T) => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set(value: T): void {
    if (Object.is(this.#value, value)) return
    this.#value = value
    for (const watcher of [...this.#watchers]) watcher(value)
  }

  /** Calls at once, and again with each new value. */
  watch(watcher: (value: T) => void): Unwatch {
    this.#watchers.add(watcher)
    watcher(this.#value)
    return () => void this.#watchers.delete(watcher)
  }
}
