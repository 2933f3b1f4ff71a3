// Preact and its signals: this file alone imports them, and names what the console uses.

export {
  batch,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
  useSignal,
} from '@preact/signals'
export {
  type ButtonHTMLAttributes,
  type ComponentChildren,
  Fragment,
  type InputHTMLAttributes,
  options,
  type RefObject,
  render,
  type VNode,
} from 'preact'
export { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
