/** The names of the colours that theme.css defines, for what is drawn and not styled. */
export const colourNames = [
  'paper', 'inset', 'line', 'ink', 'ink-soft',
  'roof', 'leaf', 'lamp', 'alarm', 'sky', 'on-tone',
  'ground', 'ground-deep', 'ground-grid', 'path', 'path-edge', 'water', 'tree', 'tree-deep', 'wall', 'wall-edge',
  'shade', 'trail', 'bubble', 'bubble-ink', 'plate', 'plate-ink', 'glow', 'focus',
] as const

export type ColourName = (typeof colourNames)[number]

/** Every colour of the page as it is now, as CSS writes it. */
export type Theme = Readonly<Record<ColourName, string>> & { readonly dark: boolean }

const darkQuery = '(prefers-color-scheme: dark)'

/** Reads the theme from the document. */
export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement)
  const colours = Object.fromEntries(colourNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]))
  return { ...(colours as Record<ColourName, string>), dark: matchMedia(darkQuery).matches }
}

/** Calls a function whenever the system changes between light and dark; returns what ends that. */
export function onThemeChange(changed: (theme: Theme) => void): () => void {
  const query = matchMedia(darkQuery)
  const listener = (): void => { changed(readTheme()) }
  query.addEventListener('change', listener)
  return () => { query.removeEventListener('change', listener) }
}
