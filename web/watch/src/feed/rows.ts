/** An unfolded row: its place in the list, and how much taller than other rows it is. */
export interface Unfolded {
  readonly place: number
  readonly extra: number
}

/** The positions of the rows of a list, of which a few are unfolded. */
export class Rows {
  private readonly unfolded: readonly Unfolded[]

  /** @param row The height of one row, in CSS pixels. */
  constructor(private readonly total: number, unfolded: readonly Unfolded[], private readonly row: number) {
    this.unfolded = unfolded.filter(({ place }) => place >= 0 && place < total).sort((one, other) => one.place - other.place)
  }

  /** The height of all rows together. */
  get height(): number { return this.topOf(this.total) }

  topOf(place: number): number {
    return this.unfolded.reduce((top, row) => row.place < place ? top + row.extra : top, place * this.row)
  }

  /** Returns the place of the row at a height. */
  placeAt(height: number): number {
    let above = 0
    for (const { place, extra } of this.unfolded) {
      const bottom = (place + 1) * this.row + above
      if (height < bottom) break
      if (height < bottom + extra) return place
      above += extra
    }
    return Math.max(0, Math.floor((height - above) / this.row))
  }
}
