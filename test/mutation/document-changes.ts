import type { FileChanges } from './mutation.ts'

// What the OpenAPI document gives to generators: a name for each shape, widths of numbers, refusals
// that their codes distinguish, and what one call gives to the next.

const TYPES = ['test/server/edge/http/openapi-types.test.ts']
const WHOLE = ['test/server/edge/http/openapi.test.ts']
const FORMS = ['test/server/edge/http/openapi-forms.test.ts']
const REFUSALS = ['test/server/edge/http/refusal-examples.test.ts']

export const DOCUMENT_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/edge/http/components.ts',
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
    file: 'server/edge/http/refusal-schemas.ts',
    tests: TYPES,
    changes: [
      ['a refusal does not show its code', 'means({ const: body.code }, ', 'means(text(), '],
      ['a refusal lacks its own fields', '    ...fields,\n  })', '  })'],
      ['a choice of refusals has no name', 'codes.length > NAMED_CODES_MAX ? call : ', ''],
    ],
  },
  {
    file: 'server/edge/http/refusal-schemas.ts',
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
    file: 'server/edge/http/openapi.ts',
    tests: TYPES,
    changes: [
      ['no reply links to the next call', '...(hasBody ? links : {})', ''],
      ['a proof by HMAC is one header', "['hmac', 'hmacTimestamp', 'hmacSignature']", "['hmac']"],
    ],
  },
  {
    file: 'server/edge/http/openapi.ts',
    tests: WHOLE,
    changes: [
      ['429 does not say when to call again', 'status === 429 || status === 503', 'status === 503'],
      ['a refusal of a route is not in the document', ', ...route.rejects]', ']'],
    ],
  },
  {
    file: 'server/edge/http/schema/scalars.ts',
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
