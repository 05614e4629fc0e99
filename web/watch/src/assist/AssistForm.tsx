import type { VNode } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import type { JsonObject } from '@playctl/sdk'
import { clamp } from '../feed/entry.js'
import { text } from '../text/text.js'
import { formats } from './formats.js'
import { fieldsOf, limitsOf, type Field, type Option } from './schema.js'
import type { OfferedTool } from './tools.js'
import { readArgs, readJsonArgs, type Inputs } from './values.js'

interface AssistFormProps {
  readonly tool: OfferedTool
  readonly title: string
  readonly send: (args: JsonObject) => void
  readonly cancel: () => void
}

/** A form with a field for each parameter of a tool, or one for JSON if no form is possible. */
export function AssistForm({ tool, title, send, cancel }: AssistFormProps): VNode {
  const fields = useMemo(() => fieldsOf(tool.parameters), [tool.parameters])
  const [inputs, setInputs] = useState<Inputs>(() => new Map((fields ?? []).map((field) => [field.name, field.initial])))
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    form.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
    // The focus returns to the element that opened the form.
    return () => { if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true }) }
  }, [])
  useEffect(() => { form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus() }, [errors])
  const submit = (event: Event): void => {
    event.preventDefault()
    const read = fields === undefined ? readJsonArgs(inputs.get('') ?? '') : readArgs(fields, inputs)
    if ('args' in read) send(read.args)
    else setErrors(read.errors)
  }
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return
    // Closes only the form, not what is around it.
    event.preventDefault()
    cancel()
  }
  const enter = (name: string, value: string): void => { setInputs(new Map([...inputs, [name, value]])) }
  return (
    <form class="form" aria-label={title} noValidate ref={form} onSubmit={submit} onKeyDown={leave}>
      {fields === undefined && <FieldRow field={wholeJson()} value={inputs.get('') ?? ''} error={errors.get('')} enter={enter} label={text('assist.wholeJson')} />}
      {fields?.length === 0 && <p class="soft">{text('assist.noParameters')}</p>}
      {fields?.map((field) => <FieldRow key={field.name} field={field} value={inputs.get(field.name) ?? ''} error={errors.get(field.name)} enter={enter} label={clamp(field.title, 80)} />)}
      <div class="controls">
        <button type="submit">{text('assist.send')}</button>
        <button type="button" class="small" onClick={cancel}>{text('assist.cancel')}</button>
      </div>
    </form>
  )
}

const wholeJson = (): Field => ({
  name: '', title: '', type: 'object', required: false, nullable: false, options: [], initial: '', description: text('assist.wholeJsonWhy'), ...limitsOf({}),
})

interface FieldRowProps {
  readonly field: Field
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  readonly enter: (name: string, value: string) => void
}

function FieldRow({ field, label, value, error, enter }: FieldRowProps): VNode {
  const id = useId()
  const json = field.type === 'object' || field.type === 'array' || field.type === 'any'
  const called = <><bdi>{label}</bdi> <span class="soft">{text(field.required ? 'assist.required' : 'assist.optional')}{json && <>, {text('assist.json')}</>}</span></>
  return (
    <div class="field">
      {field.type === 'choices' ? <span class="label" id={`${id}-name`}>{called}</span> : <label htmlFor={id}>{called}</label>}
      <Entry field={field} id={id} value={value} invalid={error !== undefined} enter={enter} />
      {field.description !== '' && <p class="soft" id={`${id}-what`} dir="auto">{clamp(field.description, 300)}</p>}
      {error !== undefined && <p class="wrong" id={`${id}-wrong`}>{error}</p>}
    </div>
  )
}

function Entry({ field, id, value, invalid, enter }: { field: Field, id: string, value: string, invalid: boolean, enter: FieldRowProps['enter'] }): VNode {
  const described = [field.description === '' ? '' : `${id}-what`, invalid ? `${id}-wrong` : ''].join(' ').trim()
  const common = {
    id, value, 'aria-required': field.required, 'aria-invalid': invalid, ...(described === '' ? {} : { 'aria-describedby': described }),
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement }) => { enter(field.name, event.currentTarget.value) },
  }
  switch (field.type) {
    case 'choice': case 'boolean': {
      const options = field.type === 'boolean' ? truths() : field.options
      return <select {...common}>
        <option value="">{text(field.required ? 'assist.choose' : 'assist.leaveOut')}</option>
        {options.map((option) => <option key={option.value} value={option.value}>{clamp(option.name, 80)}</option>)}
      </select>
    }
    case 'choices': return <Choices field={field} id={id} value={value} invalid={invalid} described={described} enter={enter} />
    case 'date': return <input {...common} type="date" />
    case 'time': return <input {...common} type="time" step={1} />
    case 'date-time': return <input {...common} type="datetime-local" step={1} />
    case 'number': case 'integer': return <input {...common} inputMode={field.type === 'integer' ? 'numeric' : 'decimal'} autocomplete="off" />
    case 'string': return (field.maxLength ?? 0) > 200
      ? <textarea {...common} rows={3} dir="auto" />
      : <input {...common} inputMode={field.format === 'email' ? 'email' : field.format === 'uri' ? 'url' : 'text'} placeholder={Object.hasOwn(formats, field.format) ? formats[field.format]?.example ?? '' : ''} dir="auto" autocomplete="off" />
    case 'object': case 'array': case 'any': return <textarea {...common} class="mono" rows={3} spellcheck={false} />
  }
}

const truths = (): Option[] => [{ value: 'true', name: text('assist.yes') }, { value: 'false', name: text('assist.no') }]

/** A choice of several values: a checkbox for each. */
function Choices({ field, id, value, invalid, described, enter }: { field: Field, id: string, value: string, invalid: boolean, described: string, enter: FieldRowProps['enter'] }): VNode {
  const chosen = new Set(chosenOf(value))
  const choose = (option: string, on: boolean): void => {
    const after = field.options.filter((other) => other.value === option ? on : chosen.has(other.value))
    enter(field.name, after.length === 0 ? '' : `[${after.map((other) => other.value).join(',')}]`)
  }
  return (
    <div class="choices" role="group" aria-labelledby={`${id}-name`} {...(described === '' ? {} : { 'aria-describedby': described })}>
      {field.options.map((option, place) => (
        <label key={option.value}><input type="checkbox" checked={chosen.has(option.value)} aria-invalid={invalid && place === 0}
          onChange={(event) => { choose(option.value, event.currentTarget.checked) }} /><bdi>{clamp(option.name, 80)}</bdi></label>
      ))}
    </div>
  )
}

/** Returns the chosen values, each as JSON. */
function chosenOf(value: string): readonly string[] {
  const list: unknown = value === '' ? [] : JSON.parse(value)
  return Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : []
}
