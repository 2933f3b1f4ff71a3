import { spawn } from '../../engine/thread/spawn.ts'

// A whole program around one thread; the test of `spawn` runs it from sources and compiled.
const worker = spawn(new URL('./echo.worker.ts', import.meta.url), {
  name: 'echo',
  workerData: 'trader',
})
worker.on('message', (message) => console.log(`message: ${message}`))
worker.on('exit', (code) => console.log(`exit: ${code}`))
