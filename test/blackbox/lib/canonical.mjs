// Canonical JSON (RFC 8785). JSON.stringify already writes ECMAScript number
// text and minimal escapes, and Array.prototype.sort compares UTF-16 code
// units, so what is left is the order of keys.

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const members = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value)
}
