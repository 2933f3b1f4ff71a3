import { startTheme } from '../page/theme.ts'

export function operatorStart(): void {
  startTheme()
}
