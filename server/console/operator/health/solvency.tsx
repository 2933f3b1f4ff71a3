// What the exchange has and what it owes, as of the newest count.

import type { Seq } from '../../../../engine/domain/ids.ts'
import { Refused } from '../../exchange/api.ts'
import { Button, Figure, Metadata, Region, Table } from '../../page/blocks.tsx'
import { dayTime, dollars, units } from '../../page/format.ts'
import { useOwned } from '../../page/lifetime.ts'
import { signal } from '../../page/preact.ts'
import { type Page, PagedList, Pages } from '../../page/reading.tsx'
import type { OperatorContext } from '../access.ts'

interface Sums {
  readonly assetsRaw: string
  readonly debtsRaw: string
  readonly obligationsRaw: string
  readonly differenceRaw: string
}

interface Counted {
  readonly snapshot: Sums & {
    readonly seq: Seq
    readonly at: string
    readonly root: string
    readonly stateHash: string
    readonly advancedRaw: string
  }
  readonly tokens: readonly (Sums & { readonly token: string })[]
  readonly next: number | null
}

const TOKENS_A_PAGE = 50
const LOOK_MS = 1000
const LOOKS_MAX = 60
const NOT_COUNTED = 'NOT_COUNTED'
const COLUMNS = [
  'Token',
  { number: 'Assets' },
  { number: 'Debts' },
  { number: 'Obligations' },
  { number: 'Difference' },
] as const

class Counts {
  /** A sentence when there is no count yet. */
  readonly pages: Pages<number, Counted | string>
  readonly isRequesting = signal(false)
  readonly #context: OperatorContext
  #newest = ''
  #looking = 0

  constructor(context: OperatorContext) {
    this.#context = context
    this.pages = new Pages((cursor, signal) => this.#read(cursor, signal))
  }

  async countNow(): Promise<void> {
    const { access, notices } = this.#context
    this.isRequesting.value = true
    try {
      await access.call('POST', '/admin/solvency')
      notices.good('Counting… the result will appear here.')
      this.#lookForCount()
    } catch (error) {
      notices.failure(error)
    }
    this.isRequesting.value = false
  }

  stop(): void {
    clearInterval(this.#looking)
    this.pages.stop()
  }

  /** A count takes a while, and no stream publishes it. */
  #lookForCount(): void {
    clearInterval(this.#looking)
    const before = this.#newest
    let looks = 0
    this.#looking = setInterval(() => {
      looks++
      if (this.#newest !== before || looks > LOOKS_MAX) clearInterval(this.#looking)
      else this.pages.first()
    }, LOOK_MS)
  }

  async #read(cursor: number | null, signal: AbortSignal): Promise<Page<number, Counted | string>> {
    const path = `/admin/solvency?after=${cursor ?? 0}&limit=${TOKENS_A_PAGE}`
    try {
      const counted = await this.#context.access.call<Counted>('GET', path, { signal })
      this.#newest = `${counted.snapshot.seq} ${counted.snapshot.at}`
      return { reply: counted, next: counted.next }
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== NOT_COUNTED) throw error
      return { reply: error.message, next: null }
    }
  }
}

export function SolvencyView({ context }: { readonly context: OperatorContext }) {
  const counts = useOwned(() => new Counts(context))
  const { pages, isRequesting } = counts
  return (
    <div class="view operator">
      <h1>Solvency</h1>
      <div class="row tools">
        <Button
          label="Count now"
          disabled={isRequesting.value}
          onClick={() => void counts.countNow()}
        />
        <Button label="Reload" onClick={() => pages.first()} />
      </div>
      <Region label="Newest count">
        <PagedList pages={pages}>
          {(counted) =>
            typeof counted === 'string' ? (
              <p class="soft">{counted}</p>
            ) : (
              <Count counted={counted} />
            )
          }
        </PagedList>
      </Region>
    </div>
  )
}

function Count({ counted: { snapshot, tokens } }: { readonly counted: Counted }) {
  const { assetsRaw, debtsRaw, advancedRaw, obligationsRaw, differenceRaw } = snapshot
  const isEqual = differenceRaw === '0'
  return (
    <div>
      <p class={isEqual ? 'buy strong' : 'sell strong'}>
        {isEqual ? 'Assets equal obligations.' : 'Assets differ from obligations.'}
      </p>
      <dl class="figures">
        <Figure label="Assets" value={dollars(assetsRaw)} />
        <Figure label="Owed to the exchange" value={dollars(debtsRaw)} />
        <Figure label="Paid in advance" value={dollars(advancedRaw)} />
        <Figure label="Obligations" value={dollars(obligationsRaw)} />
        <Figure
          label="Difference"
          value={dollars(differenceRaw)}
          look={isEqual ? undefined : 'sell'}
        />
      </dl>
      <Metadata
        look="metadata"
        metadata={[
          ['State after', `${snapshot.seq}, ${dayTime(snapshot.at)}`],
          ['Root', <code>{snapshot.root}</code>],
          ['State hash', <code>{snapshot.stateHash}</code>],
        ]}
      />
      <Tokens tokens={tokens} />
    </div>
  )
}

function Tokens({ tokens }: Pick<Counted, 'tokens'>) {
  const rows = tokens.map(({ token, assetsRaw, debtsRaw, obligationsRaw, differenceRaw }) => ({
    key: token,
    cells: [
      token,
      units(assetsRaw),
      units(debtsRaw),
      units(obligationsRaw),
      <span class={differenceRaw === '0' ? 'soft' : 'sell strong'}>{units(differenceRaw)}</span>,
    ],
  }))
  return <Table label="Tokens" columns={COLUMNS} rows={rows} />
}
