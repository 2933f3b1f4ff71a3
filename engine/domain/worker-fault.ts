/** A thread that keeps no state broke at one input: that call alone is lost (design §11). */
export class WorkerFault extends Error {
  readonly edge: 'intake' | 'query'

  constructor(edge: WorkerFault['edge'], reason: string) {
    super(`${edge}: ${reason}`)
    this.name = 'WorkerFault'
    this.edge = edge
  }
}
