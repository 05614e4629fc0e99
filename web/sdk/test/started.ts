/** What a test or its preparation started. The end does not depend on how much of it started, or on the ends before. */
export class Started {
  readonly #ends: (() => unknown)[] = []

  /** Adds the end of a part that started, or that may start in part. */
  add(end: () => unknown): void {
    this.#ends.push(end)
  }

  /** Ends the parts, the last one first. */
  async end(): Promise<void> {
    const errors: unknown[] = []
    for (const end of this.#ends.splice(0).reverse()) {
      try {
        await end()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'what a test started did not end')
  }
}
