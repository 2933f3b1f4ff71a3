// The program of every child process of a bench: `[URL of a module, name of a function, plan]`.
// A function without a result serves messages (see `serve`).

const [, , module, name, plan] = process.argv
const exported = await import(module)
const result = await exported[name](JSON.parse(plan))
if (result !== undefined) process.send?.(result, () => process.exit(0))
