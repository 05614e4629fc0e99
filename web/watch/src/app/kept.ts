/** Returns the browser's stored text under a name; null if there is none. */
export function keptAs(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Stores a text in the browser; without storage, it is lost with the page. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // The value is still used while the page is open.
  }
}
