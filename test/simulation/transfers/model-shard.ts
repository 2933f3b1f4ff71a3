import type { ProfileId } from '../../../engine/domain/ids.ts'
import type {
  CreditMessage,
  Message,
  OutcomeMessage,
  RequestReply,
  ShardId,
  TransferRequest,
} from './messages.ts'
import type { PlantedFault } from './planted-faults.ts'
import { type ShardCommand, ShardState } from './shard-state.ts'

// A shard: a model exchange with one sequencer and one journal. It decides, and nothing that it
// sends shows a command that is not durable. A crash loses the other commands, and what waits to be
// sent; the journal stays. A fail-over is the same: the next leader has the journal.

/** How often a shard with that fault sends a transfer before it gives it up. */
const PATIENCE = 3

export interface ShardSetting {
  readonly id: ShardId
  readonly shards: number
  readonly planted: PlantedFault | null
  readonly send: (message: Message) => void
  readonly count: (what: string, more?: number) => void
}

interface Waiting {
  readonly message: Message
  /** The message leaves once this number of commands is durable. */
  readonly seq: number
}

export class ModelShard {
  readonly id: ShardId
  readonly durable: ShardCommand[] = []
  /** Decided and not durable. */
  pending: ShardCommand[] = []
  state: ShardState
  isUp = true
  readonly #setting: ShardSetting
  #outbox: Waiting[] = []
  /** In memory only, for planted faults: keys, numbers by destination, and sendings by transfer. */
  #knownKeys = new Set<number>()
  #usedNos = new Map<ShardId, number>()
  #sendings = new Map<string, number>()

  constructor(setting: ShardSetting) {
    this.id = setting.id
    this.#setting = setting
    this.state = new ShardState(setting.shards)
  }

  get journal(): readonly ShardCommand[] {
    return [...this.durable, ...this.pending]
  }

  /** A change that concerns this shard alone. The caller has checked that it is allowed. */
  change(command: ShardCommand): void {
    this.#decide(command)
  }

  receive(message: Message): void {
    if (message.kind === 'request') this.#request(message)
    if (message.kind === 'credit') this.#credit(message)
    if (message.kind === 'outcome') this.#outcome(message)
  }

  /** Makes the oldest commands durable, and sends what waited for them. */
  commit(count: number): void {
    this.durable.push(...this.pending.splice(0, count))
    const isReady = ({ seq }: Waiting) => seq <= this.durable.length
    for (const { message } of this.#outbox.filter(isReady)) this.#setting.send(message)
    this.#outbox = this.#outbox.filter((each) => !isReady(each))
  }

  crash(): void {
    this.#setting.count('lost commands', this.pending.length)
    this.isUp = false
    this.pending = []
    this.#outbox = []
    this.#knownKeys = new Set()
    this.#usedNos = new Map()
    this.#sendings = new Map()
    this.state = ShardState.replay(this.#setting.shards, this.durable)
  }

  /** Sends every open transfer again, in the order of their numbers. */
  resend(): void {
    for (const [destination, { open }] of this.state.outgoing.entries()) {
      for (const no of [...open.keys()]) this.#resendOne(destination, no)
    }
  }

  #resendOne(destination: ShardId, no: number): void {
    const transfer = this.state.outgoing[destination].open.get(no)
    if (transfer === undefined) return
    const name = `${destination}:${no}`
    const sendings = (this.#sendings.get(name) ?? 0) + 1
    this.#sendings.set(name, sendings)
    if (this.#isPlanted('a transfer without an outcome is returned') && sendings > PATIENCE) {
      this.#decide({ kind: 'returnTransfer', key: transfer.key, destination, no })
      return
    }
    this.#send(this.#messageOf(destination, no))
  }

  #isPlanted(fault: PlantedFault): boolean {
    return this.#setting.planted === fault
  }

  #decide(command: ShardCommand): void {
    this.pending.push(command)
    this.state.apply(command)
    this.#setting.count(command.kind)
  }

  /** Sends a message once everything that it may show is durable. */
  #send(message: Message): void {
    this.#outbox.push({ message, seq: this.durable.length + this.pending.length })
    // With nothing pending, it leaves at once.
    this.commit(0)
  }

  /** With the fault, the message leaves at once. */
  #sendUnless(fault: PlantedFault, message: Message): void {
    if (this.#isPlanted(fault)) this.#setting.send(message)
    else this.#send(message)
  }

  #messageOf(destination: ShardId, no: number): CreditMessage {
    const transfer = this.state.outgoing[destination].open.get(no)
    if (transfer === undefined) throw new Error('only an open transfer is sent')
    const endedNo = this.state.endedNo(destination)
    return { kind: 'credit', to: destination, source: this.id, no, endedNo, ...transfer }
  }

  /** The source: debits once for each key. */
  #request({ key, profileId, destination, amountRaw }: TransferRequest): void {
    const forgets = this.#isPlanted('a request is debited again after a crash')
    const isKnown = (forgets ? this.#knownKeys : this.state.keys).has(key)
    if (isKnown) this.#setting.count('repeated requests')
    const isAccepted = isKnown || this.state.canPay(profileId, amountRaw)
    if (isAccepted && !isKnown) {
      const no = this.#nextNo(destination)
      this.#knownKeys.add(key)
      this.#decide({ kind: 'debitTransfer', key, profileId, destination, no, amountRaw })
      const message = this.#messageOf(destination, no)
      this.#sendUnless('a credit is sent before its debit is durable', message)
    }
    const reply: RequestReply = { kind: 'reply', to: 'client', key, isAccepted }
    this.#sendUnless('a reply is sent before its debit is durable', reply)
  }

  #nextNo(destination: ShardId): number {
    const { lastNo, open } = this.state.outgoing[destination]
    if (!this.#isPlanted('a number is used again')) return lastNo + 1
    const no = (this.#usedNos.get(destination) ?? open.size) + 1
    this.#usedNos.set(destination, no)
    return no
  }

  /** The destination: takes the transfers of a source in the order of their numbers. */
  #credit(message: CreditMessage): void {
    const { source, no } = message
    const { lastNo, outcomes } = this.state.incoming[source]
    const isNext = this.#isPlanted('a credit overtakes another') ? no > lastNo : no === lastNo + 1
    if (isNext || this.#isPlanted('a credit is repeated')) {
      this.#take(message)
      return
    }
    const outcome = outcomes.get(no)
    if (no <= lastNo && outcome !== undefined) {
      this.#setting.count('repeated credits')
      this.#answer(source, no, outcome)
      return
    }
    // The source has ended it, or sends an earlier one again.
    this.#setting.count(no <= lastNo ? 'credits of ended transfers' : 'credits out of order')
  }

  #take({ source, no, key, profileId, amountRaw, endedNo }: CreditMessage): void {
    const isFrozen = this.state.profiles.get(profileId)
    if (isFrozen !== false) {
      this.#setting.count(isFrozen === undefined ? 'unknown accounts' : 'frozen accounts')
      if (this.#isPlanted('a refusal is not journaled')) {
        this.#answer(source, no, false)
        return
      }
    }
    const kind = isFrozen === false ? 'creditTransfer' : 'refuseTransfer'
    this.#decide({ kind, source, no, key, profileId, amountRaw, endedNo })
    this.#answer(source, no, isFrozen === false)
  }

  #answer(source: ShardId, no: number, isCredited: boolean): void {
    const message: OutcomeMessage = {
      kind: 'outcome',
      to: source,
      destination: this.id,
      no,
      isCredited,
    }
    this.#sendUnless('an outcome is sent before its command is durable', message)
  }

  /** The source: ends a transfer once. A return is never refused. */
  #outcome({ destination, no, isCredited }: OutcomeMessage): void {
    const transfer = this.state.outgoing[destination].open.get(no)
    if (transfer === undefined) {
      this.#setting.count('outcomes of ended transfers')
      return
    }
    const { key, profileId } = transfer
    if (!isCredited && this.#isKeptFrom(profileId)) return
    const kind = isCredited ? 'confirmTransfer' : 'returnTransfer'
    this.#decide({ kind, key, destination, no })
  }

  #isKeptFrom(profileId: ProfileId): boolean {
    const isFrozen = this.state.profiles.get(profileId) === true
    if (isFrozen) this.#setting.count('returns to frozen accounts')
    return isFrozen && this.#isPlanted('a frozen account gets nothing back')
  }
}
