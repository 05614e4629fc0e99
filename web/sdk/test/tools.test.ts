import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { OptionError, ToolError, frameworkRegistration, tool } from '../src/index.js'
import type { AgentTool, Asked } from '../src/index.js'
import { parametersOf, toolsIn } from '../src/tools/list.js'
import { repository } from './repository.js'

const asked = {} as Asked

/** Returns the published form of the tools of one registration. */
function published(...given: readonly unknown[]) {
  return frameworkRegistration('test', ['chat_tool', ...given]).assistTools
}

describe('a tool', () => {
  const day = { people: 2, day: 'monday' }
  const made: Record<string, AgentTool> = {
    'JSON Schema': tool({
      description: 'Books', input: { type: 'object', properties: { people: { type: 'integer', minimum: 1 }, day: { type: 'string', enum: ['monday', 'friday'] } }, required: ['people', 'day'] },
      run: ({ people, day }) => `${people + 1} on ${day.toUpperCase()}`,
    }),
    Zod: tool({
      description: 'Books', input: z.object({ people: z.number().int().min(1), day: z.enum(['monday', 'friday']) }),
      run: ({ people, day }) => `${people + 1} on ${day.toUpperCase()}`,
    }),
    ArkType: tool({ description: 'Books', input: type({ people: 'number.integer >= 1', day: "'monday' | 'friday'" }), run: ({ people, day }) => `${people + 1} on ${day.toUpperCase()}` }),
    Valibot: tool({
      description: 'Books', input: toStandardJsonSchema(v.object({ people: v.pipe(v.number(), v.integer(), v.minValue(1)), day: v.picklist(['monday', 'friday']) })),
      run: ({ people, day }) => `${people + 1} on ${day.toUpperCase()}`,
    }),
  }
  for (const [library, { call, parameters }] of Object.entries(made)) {
    it(`of ${library} publishes its schema and checks its arguments`, async () => {
      const { properties, required } = parameters('assist_book') as { properties: Record<string, Record<string, unknown>>; required: string[] }
      assert.deepEqual(Object.keys(properties).sort(), ['day', 'people'])
      assert.equal(properties.people?.type, 'integer')
      assert.deepEqual([...properties.day?.enum as string[]].sort(), ['friday', 'monday'])
      assert.deepEqual([...required].sort(), ['day', 'people'])
      assert.equal(await call(day, asked), '3 on MONDAY')
      for (const wrong of [{ ...day, people: 'two' }, { ...day, people: 0 }, { ...day, day: 'sunday' }, { people: 2 }]) {
        await assert.rejects(call(wrong, asked), (error) => error instanceof ToolError && /people|day/u.test(error.message))
      }
    })
  }

  it('passes typed arguments to run', () => {
    tool({
      description: '', input: { type: 'object', properties: { n: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } }, at: { properties: { x: { type: 'integer' } } } }, required: ['n'] },
      run: ({ n, tags, at }) => {
        const number: number = n
        const texts: readonly string[] | undefined = tags
        const x: number | undefined = at?.x
        // @ts-expect-error it is not a text
        const text: string = n
        return `${number} ${texts?.length ?? 0} ${x ?? 0} ${text}`
      },
    })
    // @ts-expect-error run is required
    assert.throws(() => tool({ description: '' }), OptionError)
  })

  it('names the tool whose schema cannot be described in JSON Schema', () => {
    const old = { '~standard': { version: 1 as const, vendor: 'old', validate: (value: unknown) => ({ value }) } }
    assert.throws(() => published({ name: 'assist_a', parameters: old }), /"assist_a" \(old\) gives no JSON Schema: use Zod 4\.2/u)
    assert.throws(() => published({ name: 'assist_a', schema: { _def: {} } }), /version of Zod/u)
    assert.throws(() => published({ name: 'assist_a', parameters: z.object({ at: z.date() }) }), /"assist_a" cannot be described in JSON Schema/u)
    assert.throws(() => published({ name: 'assist_a', parameters: z.string() }), /it must be "object"/u)
  })
})

describe('the tools of a registration', () => {
  const parameters = { type: 'object', properties: { b: { type: 'string' }, a: { type: 'integer' } } }
  const ordered = { type: 'object', properties: { b: { type: 'string', 'x-order': 0 }, a: { type: 'integer', 'x-order': 1 } } }

  it('may be written for MCP, LangChain or OpenAI, and keep the order of their fields', () => {
    for (const given of [
      { name: 'assist_x', description: 'd', parameters }, { name: 'assist_x', description: 'd', inputSchema: parameters }, { name: 'assist_x', description: 'd', schema: parameters },
      { type: 'function' as const, function: { name: 'assist_x', description: 'd', parameters } },
    ]) assert.deepEqual(published(given), [{ name: 'assist_x', description: 'd', parameters: ordered }])
    const { additionalProperties: _strict, ...rest } = published({ name: 'assist_x', schema: z.object({ b: z.string(), a: z.int() }) })[0]?.parameters ?? {}
    assert.deepEqual(Object.entries(rest.properties ?? {}).map(([name, property]) => [name, (property as Record<string, unknown>)['x-order']]), [['b', 0], ['a', 1]])
  })

  it('keep an explicit order, and the order of nested fields', () => {
    const nested = { type: 'object', properties: { list: { type: 'array', items: parameters }, first: { type: 'string', 'x-order': 7 } } }
    assert.deepEqual(published({ name: 'assist_x', parameters: nested })[0]?.parameters, {
      type: 'object', properties: { list: { type: 'array', items: ordered, 'x-order': 0 }, first: { type: 'string', 'x-order': 7 } },
    })
  })

  it('keep the order of named schemas', () => {
    for (const word of ['$defs', 'definitions']) {
      const given = { $ref: `#/${word}/Trip`, [word]: { Trip: parameters, any: true } }
      assert.deepEqual(published({ name: 'assist_x', parameters: given })[0]?.parameters, { ...given, [word]: { Trip: ordered, any: true } })
    }
  })

  it('are named in the error about a malformed list', () => {
    assert.throws(() => published('assist_a', {}), /tool 3 has no name/u)
  })
})

describe('a list of tools', () => {
  const folder = path.join(repository, 'sdk/testdata/tools')
  for (const file of readdirSync(folder)) {
    it(`is read as the Go SDK reads it: ${file}`, () => {
      const { list, tools = [], refused = [] } = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as { list: unknown; tools?: unknown[]; refused?: string[] }
      const read = () => toolsIn(list).map((one) => ({ name: one.name, description: one.description, parameters: parametersOf(one) }))
      if (refused.length === 0) assert.deepEqual(read(), tools)
      else assert.throws(read, (error: unknown) => error instanceof OptionError && refused.every((word) => error.message.includes(word)))
    })
  }

  it('may have the schemas of libraries, in the form of any framework', () => {
    const schema = z.object({ city: z.string() })
    const { parameters } = published({ name: 'assist_x', parameters: schema })[0] ?? assert.fail()
    const entries: unknown[] = [
      ...['inputSchema', 'input_schema', 'args_schema', 'schema'].map((key) => ({ name: 'assist_x', [key]: schema })),
      { type: 'function', function: { name: 'assist_x', parameters: schema } },
      { name: 'assist_x', inputSchema: () => ({ jsonSchema: parameters, validate: () => true }) },
      { name: 'assist_x', inputSchema: { jsonSchema: parameters, validate: () => true } },
      { tools: [{ name: 'assist_x', inputSchema: schema }] },
    ]
    for (const entry of entries) assert.deepEqual(published(entry)[0]?.parameters, parameters)
    const { assistTools } = frameworkRegistration('vercel', { chat_tool: {}, assist_x: { description: 'X', inputSchema: schema } })
    assert.deepEqual(assistTools, [{ name: 'assist_x', description: 'X', parameters }])
  })

  it('says what cannot be read', () => {
    const wrong: [entry: unknown, message: RegExp][] = [
      [{ name: 'assist_x', args: z.object({}) }, /"assist_x": "args" describes arguments.*put their schema into "parameters"/u],
      [{ name: 'assist_x', parameters: { type: 'object', properties: { a: { default: 1n } } } }, /parameters of the tool "assist_x" has no JSON form/u],
      [{ name: 'assist_x', inputSchema: { jsonSchema: Promise.resolve({}) } }, /inputSchema of the tool "assist_x" is not there yet/u],
      [{ name: 'assist_x', schema: { _def: {} } }, /schema of the tool "assist_x" is of a version of Zod/u],
      [{ name: '' }, /the name of tool 2 is empty/u],
      [{ assist_x: {} }, /tool 2 has no name/u],
      [() => undefined, /tool 2 is a function/u],
      [null, /tool 2 is null/u],
      ['chat_tool', /tools 1 and 2 have the same name/u],
    ]
    for (const [entry, message] of wrong) assert.throws(() => published(entry), (error: unknown) => error instanceof OptionError && message.test(error.message), String(message))
    assert.throws(() => frameworkRegistration('test', ['assist_x']), /lack chat_tool/u)
  })
})
