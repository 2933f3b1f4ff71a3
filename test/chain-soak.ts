import { ChainRounds } from './support/chain-rounds.ts'
import { freshSeed, Random } from './support/random.ts'
import { compileProgram } from './support/server-process.ts'

// `make chain-soak TRADES=…`: trades settle on a local chain while the server is killed, the chain
// forks, its node breaks down and an account withdraws approvals; then everything is compared.

const ORDERS = 400
const trades = Number(process.argv[2] ?? '10000')
if (!(trades > 0)) {
  console.error('chain-soak takes the number of trades, above 0.')
  process.exit(2)
}
await compileProgram()
console.log(await ChainRounds.play(new Random(freshSeed()), trades, ORDERS))
