import { simulateLog } from './simulation/log/log-report.ts'
import { plantedOf } from './simulation/log/planted-faults.ts'

// `make sim-log SEED=… STEPS=…`: plays one seed, or ever new seeds without STEPS. PLANT plants a
// fault, which an invariant must notice.

const [seedText = '', stepsText = '', plant = ''] = process.argv.slice(2)
const seed = seedText === '' ? 1 : Number(seedText)
const steps = stepsText === '' ? null : Number(stepsText)
if (
  !Number.isSafeInteger(seed) ||
  !(steps === null || (Number.isSafeInteger(steps) && steps > 0))
) {
  console.error('sim-log takes whole numbers: make sim-log SEED=1 STEPS=1000000')
  process.exit(2)
}
if (!(await simulateLog(seed, steps, plantedOf(plant)))) process.exitCode = 1
