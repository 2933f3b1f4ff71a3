import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORDER_TYPES, OUTCOME, SIDE, STP_POLICIES } from '../../engine/domain/order.ts'
import { type BookLevel, ExchangeDriver, type Placed, type Wanted } from './exchange-driver.ts'

// Rules written as trades in one market. A name becomes an account when a line first uses it.
// Numbers are whole units (shares, collateral, prices). The words after an order are its expected
// result.
//
//   alice has 100                           collateral
//   alice gets 100 yes                      shares, minted against the bank
//   alice buy yes 10 @0.52 GTC post-only cancel_both   rests
//   bob   sell yes 10 @0.50 FAK             killed got 4 for 2.08 fee 0.03 from alice 4
//   carol buy no spend 1 FOK                filled
//   alice cancels 1                         her first accepted order; a refusal may follow
//   alice free 1 locked 2 yes 3 no 4 yes-locked 5 no-locked 6
//   book  bids 10@0.52 asks                 best first

const WORDS = {
  rests: 'RESTED',
  filled: 'FILLED',
  killed: 'KILLED',
  stopped: 'STP_STOPPED',
  'would-cross': 'WOULD_CROSS',
} as const

const POLICY_WORDS: readonly string[] = STP_POLICIES

/** Converts text with up to six decimals into an integer of millionths, exactly. */
export function raw(text: string): number {
  const [, whole, part] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text) ?? []
  assert(whole !== undefined, `"${text}" is not an amount`)
  return Number(whole + (part ?? '').padEnd(6, '0'))
}

export function scenario(name: string, text: string, options: { fees?: boolean } = {}): void {
  test(name, () => {
    const story = new Story(options.fees ?? false)
    for (const line of text.trim().split('\n')) story.report(line.trim())
    story.driver.holds()
  })
}

class Story {
  readonly driver = new ExchangeDriver()
  readonly #marketId: number
  readonly #accounts = new Map<string, number>()
  readonly #orders = new Map<string, Placed[]>()

  constructor(feeEnabled: boolean) {
    this.#marketId = this.driver.addMarket({ feeEnabled })
    this.#account('bank')
  }

  report(line: string): void {
    const [who, verb, ...rest] = line.split(/\s+/)
    if (who === undefined || who === '' || verb === undefined) return
    const at = `at "${line}"`
    if (who === 'book') this.#book([verb, ...rest], at)
    else if (verb === 'has') this.driver.deposit(this.#account(who), raw(rest[0]))
    else if (verb === 'gets') this.#gets(who, raw(rest[0]), rest[1])
    else if (verb === 'buy' || verb === 'sell') this.#order(who, [verb, ...rest], at)
    else if (verb === 'cancels') this.#cancels(who, rest, at)
    else this.#balances(who, [verb, ...rest], at)
  }

  #account(name: string): number {
    const known = this.#accounts.get(name)
    if (known !== undefined) return known
    const account = this.driver.addAccount(0)
    this.#accounts.set(name, account)
    return account
  }

  #gets(who: string, sizeRaw: number, outcome: string): void {
    const account = this.#account(who)
    const bank = this.#account('bank')
    const [yes, no] = outcome === 'yes' ? [account, bank] : [bank, account]
    // The receiver rests, so that a fee on the taker never reduces the shares it gets.
    this.driver.mint(this.#marketId, sizeRaw, { yes, no, taker: bank })
  }

  #order(who: string, words: string[], at: string): void {
    const isType = (word: string) => ORDER_TYPES.some((type) => type === word)
    const typeAt = words.findIndex(isType)
    assert(typeAt > 0, `no order type ${at}`)
    const wanted = this.#wanted(this.#account(who), words.slice(0, typeAt + 1))
    let next = typeAt + 1
    for (; next < words.length; next++) {
      const stp = POLICY_WORDS.indexOf(words[next])
      if (stp >= 0) wanted.stp = stp
      else if (words[next] === 'post-only') wanted.postOnly = true
      else break
    }
    const placed = this.driver.place(wanted)
    if (placed.refused === null) {
      this.#orders.set(who, [...(this.#orders.get(who) ?? []), placed])
    }
    this.#outcome(placed, words.slice(next), at)
    this.driver.holds()
  }

  #wanted(account: number, words: string[]): Wanted {
    const [verb, token, ...amount] = words
    const [type] = ORDER_TYPES.filter((each) => each === amount.at(-1))
    const wanted: Wanted = {
      account,
      marketId: this.#marketId,
      side: verb === 'buy' ? SIDE.BUY : SIDE.SELL,
      outcome: token === 'yes' ? OUTCOME.YES : OUTCOME.NO,
      type,
    }
    if (amount[0] === 'spend') wanted.spendRaw = raw(amount[1])
    else wanted.sizeRaw = raw(amount[0])
    if (amount[1].startsWith('@')) wanted.priceTicks = raw(amount[1].slice(1)) / 1000
    return wanted
  }

  #outcome(placed: Placed, words: string[], at: string): void {
    const [word, ...rest] = words
    const expected = Object.entries(WORDS).find(([each]) => each === word)?.[1] ?? word
    assert.equal(placed.refused ?? placed.result, expected, at)
    if (rest.length === 0) return
    assert.equal(rest[0], 'got', `only "got" may follow ${at}`)
    assert.equal(placed.filledRaw, raw(rest[1]), `shares ${at}`)
    for (let index = 2; index < rest.length && rest[index] !== 'from'; index += 2) {
      const actualRaw = rest[index] === 'fee' ? placed.feeRaw : placed.collateralRaw
      assert.equal(actualRaw, raw(rest[index + 1]), `${rest[index]} ${at}`)
    }
    const from = rest.indexOf('from')
    if (from < 0) return
    const makers = placed.makers.flatMap(({ account, sizeRaw }) => [this.#nameOf(account), sizeRaw])
    const named = rest.slice(from + 1).map((each, index) => (index % 2 === 0 ? each : raw(each)))
    assert.deepEqual(makers, named, `makers ${at}`)
  }

  #nameOf(account: number): string {
    return [...this.#accounts].find(([, each]) => each === account)?.[0] ?? ''
  }

  #cancels(who: string, [nth, refusal]: string[], at: string): void {
    const placed = this.#orders.get(who)?.[Number(nth) - 1]
    assert(placed !== undefined, `no such order ${at}`)
    assert.equal(this.driver.cancel(this.#account(who), placed), refusal ?? null, at)
  }

  #balances(who: string, words: string[], at: string): void {
    const account = this.#account(who)
    const { driver } = this
    const market = this.#marketId
    const known: Record<string, () => number> = {
      free: () => driver.freeRaw(account),
      locked: () => driver.reservedRaw(account),
      yes: () => driver.sharesRaw(account, market, OUTCOME.YES),
      no: () => driver.sharesRaw(account, market, OUTCOME.NO),
      'yes-locked': () => driver.sharesReservedRaw(account, market, OUTCOME.YES),
      'no-locked': () => driver.sharesReservedRaw(account, market, OUTCOME.NO),
    }
    for (let index = 0; index < words.length; index += 2) {
      assert(words[index] in known, `"${words[index]}" is no word of a scenario ${at}`)
      assert.equal(known[words[index]](), raw(words[index + 1]), `${words[index]} ${at}`)
    }
  }

  #book(words: string[], at: string): void {
    const { bids, asks } = this.driver.book(this.#marketId)
    const say = ({ ticks, sizeRaw }: BookLevel) => ({ ticks, sizeRaw })
    const read = (text: string) => {
      const [size, price] = text.split('@')
      return { ticks: raw(price) / 1000, sizeRaw: raw(size) }
    }
    const asksAt = words.indexOf('asks')
    assert(words[0] === 'bids' && asksAt > 0, `"book bids … asks …" ${at}`)
    assert.deepEqual(bids.map(say), words.slice(1, asksAt).map(read), at)
    assert.deepEqual(asks.map(say), words.slice(asksAt + 1).map(read), at)
  }
}
