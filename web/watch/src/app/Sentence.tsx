import type { ComponentChildren, VNode } from 'preact'
import { number, parts, type TextKey } from '../text/text.js'

/** A text with elements, such as a name, as its values. */
export function Sentence({ of, values }: { of: TextKey, values: Readonly<Record<string, ComponentChildren>> }): VNode {
  return <>{parts(of, values.count).map((part) => {
    if (typeof part === 'string') {
      return part
    }
    const value = values[part.name]
    return typeof value === 'number' ? number(value) : <bdi key={part.name}>{value}</bdi>
  })}</>
}
