import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Every text file below `root` that .gitignore does not name, with paths relative to `root`. */
export function readTree(root: string): SourceFile[] {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n').filter(Boolean)
  const files: SourceFile[] = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const name = relative(root, path).replaceAll('\\', '/')
      if (entry.name === '.git' || isIgnored(name, ignored)) continue
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile() && !/\.(bin|png|gz)$/.test(name))
        files.push({ path: name, text: readFileSync(path, 'utf8') })
    }
  }
  walk(root)
  return files
}

function isIgnored(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    if (pattern.startsWith('*')) return path.endsWith(pattern.slice(1))
    return path === pattern.replace(/\/$/, '')
  })
}
