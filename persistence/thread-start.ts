import type { Worker } from 'node:worker_threads'
import { reasonOf } from '../engine/domain/error-code.ts'
import { DataFolderError } from './folder-error.ts'

/**
 * Waits for a new thread's 'ready' message. If the thread ends first, the start fails with a
 * sentence: the thread could not open something in the data folder.
 */
export function startThread(worker: Worker, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (reason: string) => {
      settle()
      reject(new DataFolderError(`The ${name} thread cannot start: ${reason}`))
    }
    const onError = (error: unknown) => refuse(reasonOf(error))
    const onExit = (code: number) => refuse(`it ended with code ${code}.`)
    const onMessage = (message: unknown) => {
      if (message !== 'ready') return
      settle()
      resolve()
    }
    const settle = () => {
      worker.off('error', onError)
      worker.off('exit', onExit)
      worker.off('message', onMessage)
    }
    worker.on('error', onError)
    worker.on('exit', onExit)
    worker.on('message', onMessage)
  })
}
