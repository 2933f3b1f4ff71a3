// Splits TypeScript source into tokens, well enough to read its form. Comments, strings, templates
// and regular expressions are tokens of their own, so that no word inside one misleads a rule.

export type TokenKind = 'word' | 'number' | 'string' | 'template' | 'regex' | 'mark' | 'comment'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly line: number
  /** For a bracket in code, the index of its other half; −1 for any other token. */
  partner: number
}

export interface Tokens {
  /** Code only, with brackets paired. */
  readonly code: readonly Token[]
  readonly comments: readonly Token[]
}

const MARKS = ['...', '===', '!==', '=>', '?.', '??', '==', '!=', '&&', '||', '++', '--', '**']
const OPENERS = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
])
/** After these words a slash opens a regular expression; after any other word it divides. */
const BEFORE_REGEX = new Set(
  'return typeof case in of delete void instanceof new else do throw await yield'.split(' '),
)

export function lex(text: string): Tokens {
  const lexer = new Lexer(text)
  lexer.readUntilEnd()
  pairBrackets(lexer.code)
  return { code: lexer.code, comments: lexer.comments }
}

class Lexer {
  readonly code: Token[] = []
  readonly comments: Token[] = []
  readonly #text: string
  /** Brace depths at which a template literal continues. */
  readonly #templates: number[] = []
  #depth = 0
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  readUntilEnd(): void {
    while (this.#at < this.#text.length) this.#readOne()
  }

  #readOne(): void {
    const text = this.#text
    const char = text.charAt(this.#at)
    if (char === '\n') this.#line += 1
    if (/\s/.test(char)) this.#at += 1
    else if (text.startsWith('//', this.#at)) this.#comment(this.#find('\n', 0))
    else if (text.startsWith('#!', this.#at) && this.#at === 0) this.#comment(this.#find('\n', 0))
    else if (text.startsWith('/*', this.#at)) this.#comment(this.#find('*/', 2))
    else if (char === "'" || char === '"') this.#push('string', this.#endOfString(char))
    else if (char === '`') this.#template(this.#at + 1)
    else if (char === '}' && this.#templates.at(-1) === this.#depth) this.#resumeTemplate()
    else if (/[\w$#@]|[^\x20-\x7e]/.test(char)) this.#word()
    else if (char === '/' && this.#regexMayStart()) this.#push('regex', this.#endOfRegex())
    else this.#mark()
  }

  #find(end: string, past: number): number {
    const found = this.#text.indexOf(end, this.#at + past)
    return found < 0 ? this.#text.length : found + past
  }

  #slice(end: number): Omit<Token, 'kind'> {
    const text = this.#text.slice(this.#at, end)
    const token = { text, line: this.#line, partner: -1 }
    this.#line += text.split('\n').length - 1
    this.#at = end
    return token
  }

  #push(kind: TokenKind, end: number): void {
    this.code.push({ kind, ...this.#slice(end) })
  }

  #comment(end: number): void {
    this.comments.push({ kind: 'comment', ...this.#slice(end) })
  }

  #word(): void {
    let end = this.#at + 1
    const isNumber = /\d/.test(this.#text.charAt(this.#at))
    const part = isNumber ? /[\w.]/ : /[\w$]|[^\x20-\x7e\s]/
    while (end < this.#text.length && part.test(this.#text.charAt(end))) end += 1
    this.#push(isNumber ? 'number' : 'word', end)
  }

  #mark(): void {
    const known = MARKS.find((mark) => this.#text.startsWith(mark, this.#at))
    const text = known ?? this.#text.charAt(this.#at)
    if (text === '{') this.#depth += 1
    if (text === '}') this.#depth -= 1
    this.#push('mark', this.#at + text.length)
  }

  #endOfString(quote: string): number {
    let end = this.#at + 1
    while (end < this.#text.length && this.#text.charAt(end) !== quote) {
      end += this.#text.charAt(end) === '\\' ? 2 : 1
    }
    return end + 1
  }

  /** Reads a template up to its end or to the `${` that interrupts it. */
  #template(from: number): void {
    let end = from
    while (end < this.#text.length) {
      if (this.#text.charAt(end) === '`') break
      if (this.#text.startsWith('${', end)) {
        this.#push('template', end)
        this.#at += 1
        this.code.push({ kind: 'mark', text: '{', line: this.#line, partner: -1 })
        this.#at += 1
        this.#depth += 1
        this.#templates.push(this.#depth)
        return
      }
      end += this.#text.charAt(end) === '\\' ? 2 : 1
    }
    this.#push('template', Math.min(end + 1, this.#text.length))
  }

  #resumeTemplate(): void {
    this.#templates.pop()
    this.#mark()
    this.#template(this.#at)
  }

  #regexMayStart(): boolean {
    const last = this.code.at(-1)
    if (!last) return true
    if (last.kind === 'word') return BEFORE_REGEX.has(last.text)
    return last.kind === 'mark' && ![')', ']', '}'].includes(last.text)
  }

  #endOfRegex(): number {
    let end = this.#at + 1
    let inClass = false
    while (end < this.#text.length && (inClass || this.#text.charAt(end) !== '/')) {
      const char = this.#text.charAt(end)
      if (char === '[') inClass = true
      if (char === ']') inClass = false
      end += char === '\\' ? 2 : 1
    }
    end += 1
    while (/[a-z]/.test(this.#text.charAt(end))) end += 1
    return end
  }
}

function pairBrackets(code: Token[]): void {
  const open: number[] = []
  for (const [index, token] of code.entries()) {
    if (token.kind !== 'mark') continue
    if (token.text === '(' || token.text === '[' || token.text === '{') open.push(index)
    const opener = OPENERS.get(token.text)
    if (!opener) continue
    const start = open.pop()
    const other = start === undefined ? undefined : code[start]
    if (start === undefined || other?.text !== opener) continue
    other.partner = index
    token.partner = start
  }
}
