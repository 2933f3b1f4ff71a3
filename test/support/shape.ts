import { lex, type Token } from './lexer.ts'

// Reads from the tokens of one file what the rules need: its imports, functions and exports.

export interface SourceFile {
  readonly path: string
  readonly text: string
}

export interface Import {
  readonly from: string
  readonly line: number
  readonly isTypeOnly: boolean
}

export interface FunctionShape {
  readonly line: number
  readonly lines: number
  readonly parameters: number
  readonly nesting: number
  /** A `describe` holds a list of tests: it is a heading, not a function to read at one sitting. */
  readonly isSuite: boolean
}

export interface Shape extends SourceFile {
  readonly code: readonly Token[]
  readonly comments: readonly Token[]
  readonly imports: readonly Import[]
  readonly functions: readonly FunctionShape[]
  readonly valueExports: number
  /** Indexes of the tokens inside import and export clauses, where `as` only renames. */
  readonly clauses: ReadonlySet<number>
}

const CONTROL = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'await'])
const BLOCK_WORDS = new Set(['else', 'try', 'finally', 'do', 'catch'])
const VALUE_WORDS = new Set(['const', 'let', 'var', 'function', 'class', 'async', 'default'])
/** After these, a brace opens an object type, not the body of a function. */
const BEFORE_OBJECT_TYPE = new Set([':', '|', '&', '<', ',', '(', '=>', 'is', 'extends', '?'])
const ENDS_TYPE = new Set([';', ',', ')', ']', '}', '='])

export function shapeOf(file: SourceFile): Shape {
  const { code, comments } = lex(file.text)
  const reader = new Reader(code)
  reader.readStatements()
  reader.readFunctions()
  const { imports, functions, valueExports, clauses } = reader
  return { ...file, code, comments, imports, functions, valueExports, clauses }
}

class Reader {
  readonly imports: Import[] = []
  readonly functions: FunctionShape[] = []
  readonly clauses = new Set<number>()
  valueExports = 0
  readonly #code: readonly Token[]

  constructor(code: readonly Token[]) {
    this.#code = code
  }

  #text(index: number): string {
    return this.#code[index]?.text ?? ''
  }

  #partner(index: number): number {
    return this.#code[index]?.partner ?? -1
  }

  readStatements(): void {
    let depth = 0
    for (const [index, token] of this.#code.entries()) {
      if (token.text === '{' && token.kind === 'mark') depth += 1
      if (token.text === '}' && token.kind === 'mark') depth -= 1
      if (token.kind !== 'word' || this.#text(index - 1) === '.') continue
      if (token.text === 'import') this.#import(index, depth)
      if (token.text === 'export' && depth === 0) this.#export(index)
    }
  }

  #import(index: number, depth: number): void {
    const next = this.#text(index + 1)
    if (next === '(') {
      // A dynamic `import('x')` counts like an import, and so does `import('x')` as a type.
      const argument = this.#code[index + 2]
      if (argument?.kind === 'string') this.#addImport(argument, false)
    } else if (depth === 0 && next !== '.') this.#clause(index, next === 'type')
  }

  /** Reads `… from 'x'` or a bare `'x'` behind an import or export word. */
  #clause(index: number, isTypeOnly: boolean): void {
    for (let at = index + 1; at < this.#code.length; at += 1) {
      const token = this.#code[at]
      this.clauses.add(at)
      if (token?.kind !== 'string') continue
      this.#addImport(token, isTypeOnly)
      return
    }
  }

  #addImport(token: Token, isTypeOnly: boolean): void {
    this.imports.push({ from: token.text.slice(1, -1), line: token.line, isTypeOnly })
  }

  #export(index: number): void {
    const isTypeOnly = this.#text(index + 1) === 'type'
    const at = isTypeOnly ? index + 2 : index + 1
    const word = this.#text(at)
    if (word === '*') {
      this.valueExports += isTypeOnly ? 0 : 1
      this.#clause(index, isTypeOnly)
      return
    }
    if (word !== '{') {
      if (VALUE_WORDS.has(word) || word === 'abstract') this.valueExports += 1
      return
    }
    const end = this.#partner(at)
    if (!isTypeOnly) this.valueExports += this.#namesBetween(at, end)
    for (let inside = at; inside < end; inside += 1) this.clauses.add(inside)
    if (this.#text(end + 1) === 'from') this.#clause(end, isTypeOnly)
  }

  #namesBetween(open: number, close: number): number {
    let names = 0
    for (let at = open + 1; at < close; at += 1) {
      const startsName = ['{', ','].includes(this.#text(at - 1))
      if (startsName && this.#text(at) !== 'type') names += 1
    }
    return names
  }

  readFunctions(): void {
    for (const [index, token] of this.#code.entries()) {
      if (token.kind !== 'mark' || token.text !== '(' || token.partner < 0) continue
      const body = this.#bodyBehind(index)
      if (body === undefined) continue
      const end = this.#text(body) === '{' ? this.#partner(body) : body
      const endLine = this.#code[end]?.line ?? token.line
      this.functions.push({
        line: token.line,
        lines: endLine - token.line + 1,
        parameters: this.#parameters(index),
        nesting: this.#text(body) === '{' ? this.#nesting(body) : 0,
        isSuite: this.#isSuite(index),
      })
    }
  }

  /** Where the function of this parameter list has its body; undefined when it is no such list. */
  #bodyBehind(open: number): number | undefined {
    const close = this.#partner(open)
    let next = close + 1
    if (this.#text(next) === ':') next = this.#endOfType(next)
    if (this.#text(next) === '=>') return next + 1
    if (this.#text(next) !== '{') return undefined
    const word = this.#wordBefore(open)
    return word === undefined || CONTROL.has(word) ? undefined : next
  }

  /** The name before a parameter list, past its type parameters. */
  #wordBefore(open: number): string | undefined {
    let at = open - 1
    if (this.#text(at) === '>') {
      let depth = 0
      do {
        if (this.#text(at) === '>') depth += 1
        if (this.#text(at) === '<') depth -= 1
        at -= 1
      } while (depth > 0 && at > 0)
    }
    const token = this.#code[at]
    if (token?.text === ']' || token?.text === '*') return token.text
    return token?.kind === 'word' || token?.kind === 'string' ? token.text : undefined
  }

  /** Walks the type behind a colon; returns the index of the token that ends it. */
  #endOfType(colon: number): number {
    let at = colon + 1
    while (at < this.#code.length) {
      const token = this.#code[at]
      const before = this.#code[at - 1]
      if (!token || !before || ENDS_TYPE.has(token.text)) return at
      if (token.text === '=>') {
        // `(a: A) => B` as a return type goes on; the arrow of the function itself ends it.
        if (before.text !== ')' || this.#partner(at - 1) <= colon) return at
      }
      if (token.text === '{' && !BEFORE_OBJECT_TYPE.has(before.text)) return at
      const isNewStatement = token.line > before.line && token.kind === 'word'
      if (isNewStatement && (before.kind === 'word' || before.text === ')')) return at
      at = token.partner > at ? token.partner + 1 : at + 1
    }
    return at
  }

  #parameters(open: number): number {
    const close = this.#partner(open)
    if (close === open + 1) return 0
    let count = this.#text(close - 1) === ',' ? 0 : 1
    let generics = 0
    for (let at = open + 1; at < close; at += 1) {
      const text = this.#text(at)
      if (text === '<') generics += 1
      if (text === '>') generics = Math.max(0, generics - 1)
      if (text === ',' && generics === 0) count += 1
      const partner = this.#partner(at)
      if (partner > at) at = partner
    }
    return count
  }

  /** The depth of nested blocks in a function's body; a function inside starts again at zero. */
  #nesting(body: number): number {
    const end = this.#partner(body)
    const ends: number[] = []
    let deepest = 0
    for (let at = body + 1; at < end; at += 1) {
      if (at === ends.at(-1)) ends.pop()
      if (this.#text(at) === '(' && this.#partner(at) > at) {
        const inner = this.#bodyBehind(at)
        if (inner !== undefined && this.#text(inner) === '{') at = this.#partner(inner)
      } else if (this.#opensBlock(at)) {
        ends.push(this.#partner(at))
        deepest = Math.max(deepest, ends.length)
      }
    }
    return deepest
  }

  #opensBlock(at: number): boolean {
    const token = this.#code[at]
    if (token?.kind !== 'mark' || token.text !== '{') return false
    const before = this.#text(at - 1)
    if (BLOCK_WORDS.has(before)) return true
    if (before !== ')') return false
    return CONTROL.has(this.#wordBefore(this.#partner(at - 1)) ?? '')
  }

  #isSuite(open: number): boolean {
    for (let at = open - 1; at >= 0; at -= 1) {
      if (this.#text(at) !== '(' || this.#partner(at) < open) continue
      return ['describe', 'suite'].includes(this.#text(at - 1))
    }
    return false
  }
}
