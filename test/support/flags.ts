/** The words of a command line: `{ port: 3000 }` gives `--port 3000`. */
export function flagsOf(values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)])
}
