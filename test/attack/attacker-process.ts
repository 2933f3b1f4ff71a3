import { ATTACKS } from './attacks.ts'
import { Ground, type GroundPlan } from './ground.ts'
import { WIDEST } from './wide-acts.ts'

// The attacker runs in its own process, so that its cost falls on no thread of the exchange.

export interface AttackRequest extends GroundPlan {
  readonly name: string
  readonly isPreparing: boolean
}

async function attack({ name, isPreparing, ...plan }: AttackRequest) {
  const chosen = [...ATTACKS, WIDEST].find((each) => each.name === name)
  if (chosen === undefined) throw new Error(`there is no attack ${name}`)
  const usage = process.cpuUsage()
  const on = new Ground(plan)
  await (isPreparing ? chosen.prepare?.(on) : chosen.run(on))
  on.end()
  const { user, system } = process.cpuUsage(usage)
  return { counts: on.reported.counts, cpu: (user + system) / 1e6 / plan.seconds }
}

process.on('message', async (request: AttackRequest) => process.send?.(await attack(request)))
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
