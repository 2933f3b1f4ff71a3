import type { FileChanges } from './mutation.ts'

// What the OpenAPI document tells generators: a name for each shape, widths of numbers, refusals
// that their codes tell apart, and what one call gives to the next.

const HTTP = 'test/server/http'
const TYPES = [`${HTTP}/openapi-types.test.ts`]
const WHOLE = [`${HTTP}/openapi.test.ts`]
const FORMS = [`${HTTP}/openapi-forms.test.ts`]
const REFUSALS = [`${HTTP}/refusal-examples.test.ts`]

export const DOCUMENT_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/http/components.ts',
    tests: TYPES,
    changes: [
      ['a long integer has no format', 'Number(maximum) > INT32_MAX', 'false'],
      ['a number has 32 bits', "type === 'number' ? { format: 'double' } : {}", '{}'],
      ['a constant has no type', "'const' in node && type === undefined", 'false'],
      ['a choice is anyOf', 'this.#refer({ oneOf: references }, name)', '({ anyOf: references })'],
      ['a choice has a list', "shapes.some(({ type }) => type === 'array')", 'false'],
      [
        'a shape has no name of its own',
        "typeof own === 'string' || isStruct(schema) ? this.#refer(node, name) : node",
        'node',
      ],
    ],
  },
  {
    file: 'server/http/refusal-schemas.ts',
    tests: TYPES,
    changes: [
      ['a refusal does not show its code', 'means({ const: body.code }, ', 'means(text(), '],
      ['a refusal lacks its own fields', '    ...fields,\n  })', '  })'],
      ['a choice of refusals has no name', 'codes.length > NAMED_CODES_MAX ? call : ', ''],
    ],
  },
  {
    file: 'server/http/refusal-schemas.ts',
    tests: REFUSALS,
    changes: [
      [
        'the example of a refusal lacks its own fields',
        'example: { ...body, ...example }',
        'example: body',
      ],
    ],
  },
  {
    file: 'server/http/openapi.ts',
    tests: TYPES,
    changes: [
      ['no reply links to the next call', '...(hasBody ? links : {})', ''],
      ['a proof by HMAC is one header', "['hmac', 'hmacTimestamp', 'hmacSignature']", "['hmac']"],
    ],
  },
  {
    file: 'server/http/openapi.ts',
    tests: WHOLE,
    changes: [
      ['429 does not say when to call again', 'status === 429 || status === 503', 'status === 503'],
      ['a refusal of a route is not in the document', ', ...route.rejects]', ']'],
    ],
  },
  {
    file: 'server/http/schema/visible-text.ts',
    tests: FORMS,
    changes: [
      [
        'a pattern has classes of JavaScript alone',
        'source.replaceAll(VISIBLE, SHOWN_VISIBLE)',
        'source',
      ],
    ],
  },
]
