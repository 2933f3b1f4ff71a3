// Selects a content coding from Accept-Encoding (RFC 9110).

export type Coding = 'br' | 'gzip'

/** In order of preference at equal weight: the smaller result first. */
const CODINGS: readonly Coding[] = ['br', 'gzip']

/** Clients send under a hundred characters. A longer header is ignored and gets plain bytes. */
const TEXT_MAX = 256
/** Cached header values. Each client program has its own, so there are few. */
const KNOWN_MAX = 64

const ELEMENT = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i

/** The weight of each element; malformed elements are skipped. */
function weightsOf(text: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const element of text.split(',')) {
    const [, name, weight = '1'] = ELEMENT.exec(element) ?? []
    if (name !== undefined) weights.set(name.toLowerCase(), Number(weight))
  }
  return weights
}

function read(text: string): Coding | null {
  const weights = weightsOf(text)
  const others = weights.get('*') ?? 0
  let best: Coding | null = null
  // Identity wins unless a coding has at least its weight.
  let worth = Math.max(weights.get('identity') ?? 0, Number.MIN_VALUE)
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? (coding === 'gzip' ? weights.get('x-gzip') : undefined)
    const isBetter = best === null ? (weight ?? others) >= worth : (weight ?? others) > worth
    if (!isBetter) continue
    best = coding
    worth = weight ?? others
  }
  return best
}

export class AcceptedCodings {
  readonly #known = new Map<string, Coding | null>()

  /** The coding that the header prefers; null for plain bytes. */
  of(text: string): Coding | null {
    if (text === '' || text.length > TEXT_MAX) return null
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const coding = read(text)
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.set(text, coding)
    return coding
  }
}
