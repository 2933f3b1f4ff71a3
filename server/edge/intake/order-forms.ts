import { FORM } from '../../messages/intake-layout.ts'

/** The form of the body of each call with signed orders, by its path; all of them are POST. */
const ORDER_FORMS: Readonly<Record<string, number>> = {
  '/orders': FORM.ORDER,
  '/orders/batch': FORM.ORDERS,
  '/orders/cancel-replace': FORM.REPLACE,
  '/orders/cancel-replace/batch': FORM.REPLACES,
  '/orders/amend/batch': FORM.AMENDS,
}

/** The paths by their forms. */
export const ORDER_PATHS: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(ORDER_FORMS).map(([path, form]) => [form, path]),
)

/** The form of the body of a POST to this path; undefined when it has no signed order. */
export function orderFormOf(path: string): number | undefined {
  const form = ORDER_FORMS[path]
  if (form !== undefined || !path.endsWith('/amend')) return form
  return path.startsWith('/orders/') ? FORM.AMEND : undefined
}

/** Whether calls of this form have one path, without a parameter. */
export function hasOnePath(form: number): boolean {
  return ORDER_PATHS[form] !== undefined
}
