import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text } from '../text/text.js'
import { fieldsOf } from './schema.js'
import { readArgs, readJsonArgs, type Reading } from './values.js'

const schema = {
  type: 'object',
  properties: {
    to: { type: 'string', minLength: 2, maxLength: 4 },
    steps: { type: 'integer', minimum: 1, maximum: 9 },
    quick: { type: 'boolean' },
    by: { type: 'string', enum: ['foot', 'boat'] },
    more: { type: 'object' },
    list: { type: 'array' },
    odd: {},
  },
  required: ['to', 'steps'],
}
const fields = fieldsOf(schema) ?? []
const plain = (reading: Reading): unknown => 'args' in reading ? reading : { errors: Object.fromEntries(reading.errors) }
const read = (inputs: Record<string, string>): unknown => plain(readArgs(fields, new Map(Object.entries(inputs))))

describe('a form from a schema', () => {
  it('has a field for each parameter', () => {
    assert.deepEqual(fields.map((field) => [field.name, field.type, field.required]), [
      ['to', 'string', true], ['steps', 'integer', true], ['quick', 'boolean', false], ['by', 'choice', false],
      ['more', 'object', false], ['list', 'array', false], ['odd', 'any', false],
    ])
  })

  it('keeps the order that the schema states', () => {
    const names = (properties: object): readonly string[] => (fieldsOf({ properties, required: ['a'] }) ?? []).map(({ name }) => name)
    assert.deepEqual(names({ a: { 'x-order': 2 }, b: { 'x-order': 0 }, c: { 'x-order': 1 } }), ['b', 'c', 'a'])
    assert.deepEqual(names({ b: {}, a: {}, c: { 'x-order': 1 } }), ['c', 'a', 'b'])
    assert.deepEqual(names({ b: { 'x-order': 'first' }, a: {} }), ['a', 'b'])
  })

  it('has controls for enumerations, dates and nullable values', () => {
    const made = fieldsOf({ properties: {
      by: { oneOf: [{ const: 1, title: 'Foot' }, { const: 2 }] }, tags: { type: 'array', items: { enum: ['x', 'y'] }, default: ['y'] },
      day: { type: 'string', format: 'date' }, when: { type: 'string', format: 'date-time' }, count: { type: ['integer', 'null'] }, mixed: { oneOf: [{ const: 1 }, {}] },
    } }) ?? []
    assert.deepEqual(made.map(({ type }) => type), ['choice', 'choices', 'date', 'date-time', 'integer', 'any'])
    assert.deepEqual(made[0]?.options, [{ value: '1', name: 'Foot' }, { value: '2', name: '2' }])
    assert.equal(made[1]?.initial, '["y"]')
    const at = new Date(2026, 4, 6, 7, 8, 9)
    assert.deepEqual(plain(readArgs(made, new Map([['tags', '["x","y"]'], ['day', '2026-05-06'], ['when', '2026-05-06T07:08:09'], ['by', '1']]))), {
      args: { by: 1, tags: ['x', 'y'], day: '2026-05-06', when: at.toISOString() },
    })
    assert.deepEqual(plain(readArgs(made, new Map([['when', 'tomorrow evening']]))), { errors: { when: text('field.notFormat', { format: 'date-time', example: '2026-05-06T19:30' }) } })
  })

  it('has a title as its label', () => {
    assert.deepEqual((fieldsOf({ properties: { people: { title: 'How many' }, when: { title: ' ', description: 'The day' } } }) ?? []).map(({ title, description }) => [title, description]), [['How many', ''], ['when', 'The day']])
  })

  it('completes a time of day, with the offset of this browser', () => {
    const made = fieldsOf({ properties: { at: { type: 'string', format: 'time', default: '08:15:00Z' } } }) ?? []
    assert.deepEqual([made[0]?.type, made[0]?.initial], ['time', '08:15:00'])
    for (const input of ['19:30', '19:30:15']) {
      const { args } = readArgs(made, new Map([['at', input]])) as { args: { at: string } }
      assert.match(args.at, /^19:30:(?:00|15)[+-]\d\d:\d\d$/)
    }
    assert.deepEqual(plain(readArgs(made, new Map([['at', 'half past seven']]))), { errors: { at: text('field.notFormat', { format: 'time', example: '19:30:00+02:00' }) } })
  })

  it('checks formats, patterns and limits before it sends', () => {
    const errors = (schema: object, ...inputs: string[]): boolean[] =>
      inputs.map((input) => 'errors' in readArgs(fieldsOf({ properties: { it: schema } }) ?? [], new Map([['it', input]])))
    const format = (name: string, ...inputs: string[]): boolean[] => errors({ type: 'string', format: name }, ...inputs)
    assert.deepEqual(format('email', 'ada@example.com', 'ada@localhost', 'ada', 'a b@example.com', 'ada@@example.com'), [false, false, true, true, true])
    assert.deepEqual(format('uri', 'https://example.com/a?b', 'mailto:ada@example.com', 'example.com', 'https://a b'), [false, false, true, true])
    assert.deepEqual(format('date', '2026-02-28', '2026-02-30', '28.2.2026', '2026-2-3'), [false, true, true, true])
    assert.deepEqual(format('uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567'), [false, true])
    assert.deepEqual(format('ipv4', '192.0.2.1', '192.0.2.256', '192.0.2'), [false, true, true])
    assert.deepEqual(format('hostname', 'example.com', '-a.b'), [false, true])
    assert.deepEqual(format('duration', 'PT1H30M', 'P1D', 'P', '1 hour'), [false, false, true, true])
    assert.deepEqual(format('iri', 'anything'), [false], 'an unknown format is the agent’s to check')
    assert.deepEqual(errors({ type: 'string', pattern: '^[A-Z]{2}-[0-9]+$' }, 'HX-22', 'HX'), [false, true])
    assert.deepEqual(errors({ type: 'string', pattern: '^(a+)+$' }, 'a'.repeat(40) + '!'), [false], 'a pattern that may take very long is not tried')
    assert.deepEqual(errors({ type: 'string', pattern: '[' }, 'x'), [false])
    assert.deepEqual(errors({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 2, multipleOf: 0.1 }, '0', '0.3', '0.35', '2', '1.9'), [true, false, true, true, false])
    assert.deepEqual(errors({ type: 'number', minimum: 1, exclusiveMinimum: true }, '1', '1.5'), [true, false])
    assert.deepEqual(errors({ type: 'array', minItems: 1, maxItems: 2 }, '[]', '[1]', '[1,2,3]'), [true, false, true])
  })

  it('has the control of the type for a nullable value, which may be left empty', () => {
    const made = fieldsOf({ required: ['note', 'day', 'by', 'count', 'kind', 'way'], properties: {
      note: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }], description: 'What else' }, day: { oneOf: [{ type: 'null' }, { type: 'string', format: 'date' }] },
      by: { anyOf: [{ type: 'string', enum: ['foot', 'boat'] }, { type: 'null' }] }, count: { type: ['integer', 'null'] },
      kind: { type: ['string', 'null'], enum: ['a', 'b', null] }, way: { anyOf: [{ const: 'left' }, { const: 'right' }, { type: 'null' }] },
      more: { anyOf: [{ type: 'boolean' }, { type: 'null' }] }, either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] }, never: { type: 'null' },
    } }) ?? []
    assert.deepEqual(made.map(({ name, type, required }) => [name, type, required]), [
      ['note', 'string', false], ['day', 'date', false], ['by', 'choice', false], ['count', 'integer', false], ['kind', 'choice', false], ['way', 'choice', false],
      ['more', 'boolean', false], ['either', 'any', false], ['never', 'any', false],
    ])
    assert.deepEqual([made[0]?.description, made[0]?.maxLength], ['What else', 3])
    assert.deepEqual(made.slice(2, 6).map(({ options }) => options.map(({ name }) => name)), [['foot', 'boat'], [], ['a', 'b'], ['left', 'right']])
    assert.deepEqual(plain(readArgs(made, new Map([['note', 'x'], ['count', '2']]))), { args: { note: 'x', day: null, by: null, count: 2, kind: null, way: null } })
  })

  it('has the control of a referenced schema', () => {
    const made = fieldsOf({
      properties: {
        color: { $ref: '#/$defs/Color', description: 'Of the door' }, tone: { allOf: [{ $ref: '#/$defs/Color' }], default: 'green' },
        shade: { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }] }, colors: { type: 'array', items: { $ref: '#/$defs/Color' } },
        day: { $ref: '#/definitions/a~1b' }, round: { $ref: '#/$defs/Round' }, gone: { $ref: '#/$defs/Gone' }, far: { $ref: 'https://example.com/#/$defs/Color' },
        own: { $ref: '#/$defs/toString' }, both: { allOf: [{ minimum: 1 }, { maximum: 2 }] },
      },
      $defs: { Color: { type: 'string', enum: ['red', 'green'], description: 'A color' }, Round: { $ref: '#/$defs/Round' } },
      definitions: { 'a/b': { type: 'string', format: 'date' } },
    }) ?? []
    assert.deepEqual(made.map(({ name, type }) => [name, type]), [
      ['color', 'choice'], ['tone', 'choice'], ['shade', 'choice'], ['colors', 'choices'], ['day', 'date'],
      ['round', 'any'], ['gone', 'any'], ['far', 'any'], ['own', 'any'], ['both', 'any'],
    ])
    assert.deepEqual(made.slice(0, 2).map(({ description, initial }) => [description, initial]), [['Of the door', ''], ['A color', '"green"']])
    assert.deepEqual(fieldsOf({ $ref: '#/definitions/Trip', definitions: { Trip: { type: 'object', properties: { to: { type: 'string' } } } } })?.map(({ name }) => name), ['to'])
  })

  it('has no field for a tool without parameters, and JSON without a schema', () => {
    assert.deepEqual(fieldsOf({}), [])
    assert.deepEqual(fieldsOf({ type: 'object' }), [])
    for (const none of [undefined, null, [], 'text', { properties: 3 }, { anything: 1 }]) assert.equal(fieldsOf(none), undefined)
  })

  it('reads entered values with their types, and omits empty ones', () => {
    assert.deepEqual(read({ to: 'mill', steps: ' 7 ', quick: 'false', by: '"boat"', more: '{"a":1}', list: '[]', odd: 'word' }), {
      args: { to: 'mill', steps: 7, quick: false, by: 'boat', more: { a: 1 }, list: [], odd: 'word' },
    })
    assert.deepEqual(read({ to: 'mill', steps: '7', quick: '' }), { args: { to: 'mill', steps: 7 } })
  })

  it('reports the error of each field', () => {
    assert.deepEqual(read({ to: '', steps: '1.5', more: '[', list: '{}' }), {
      errors: { to: text('field.missing'), steps: text('field.notInteger'), more: text('field.notJson'), list: text('field.notArray') },
    })
    assert.deepEqual(read({ to: 'm', steps: '10' }), { errors: { to: 'At least 2 characters.', steps: 'At most 9.' } })
    assert.deepEqual(read({ to: 'meadow', steps: 'NaN' }), { errors: { to: 'At most 4 characters.', steps: text('field.notNumber') } })
  })

  it('accepts a parameter with the name of a prototype property', () => {
    const hostile = fieldsOf(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')) ?? []
    const reading = readArgs(hostile, new Map([['__proto__', 'x']]))
    assert.ok('args' in reading)
    assert.equal(JSON.stringify(reading.args), '{"__proto__":"x"}')
  })

  it('accepts only objects as JSON', () => {
    assert.deepEqual(readJsonArgs(' '), { args: {} })
    assert.deepEqual(readJsonArgs('{"a":[1]}'), { args: { a: [1] } })
    assert.deepEqual(plain(readJsonArgs('[1]')), { errors: { '': text('field.notObject') } })
  })
})
