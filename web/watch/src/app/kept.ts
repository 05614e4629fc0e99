/** Gives what this browser keeps of the page under a name; null where it keeps nothing. */
export function keptAs(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a text in this browser; one that keeps nothing forgets it with the page. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // It is of use while the page is open.
  }
}
