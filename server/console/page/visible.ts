// Texts of strangers before an act of an operator. Characters that are not seen could turn the
// order of the others around or hide a part of them, so each shows as a mark.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu
const MARK = '\u{FFFD}'

export function visible(text: string): string {
  return text.replaceAll(UNSEEN, MARK)
}
