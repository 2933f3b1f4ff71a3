// Draws what changed once in each frame of the screen, however many messages came meanwhile. A page
// in the background draws nothing, and draws the newest when it comes back.

type Draw = () => void

const due = new Set<Draw>()
let isRequested = false

/** The same function is called once in the next frame, however often it is asked for. */
export function paint(draw: Draw): void {
  due.add(draw)
  if (isRequested) return
  isRequested = true
  requestAnimationFrame(drawAll)
}

/** What was asked for is not drawn any more. */
export function unpaint(draw: Draw): void {
  due.delete(draw)
}

function drawAll(): void {
  isRequested = false
  const draws = [...due]
  due.clear()
  for (const draw of draws) draw()
}
