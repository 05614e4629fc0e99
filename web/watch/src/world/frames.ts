/** One frame of a server-sent event stream. */
export interface Frame {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** The longest line that is read, in characters: a stream without an end of line must not fill the memory. */
const longestLine = 8 << 20

/** Takes the text of an event stream apart, however it is cut (HTML Standard, 9.2.6). */
export class FrameReader {
  private rest = ''
  private id: string | undefined
  private event = ''
  private data: string[] = []

  /** Takes the next piece of text, and gives the frames that it completes. */
  push(piece: string): Frame[] {
    const lines = (this.rest + piece).split('\n')
    this.rest = lines.pop() ?? ''
    if (this.rest.length > longestLine) {
      throw new Error('a line of the event stream is too long')
    }
    return lines.flatMap((line) => this.line(line.endsWith('\r') ? line.slice(0, -1) : line) ?? [])
  }

  private line(line: string): Frame | undefined {
    if (line === '') {
      return this.finish()
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') this.id = value
    else if (field === 'event') this.event = value
    else if (field === 'data') this.data.push(value)
    return undefined
  }

  private finish(): Frame | undefined {
    const frame = { id: this.id, event: this.event, data: this.data.join('\n') }
    this.id = undefined
    this.event = ''
    this.data = []
    return frame.id === undefined && frame.data === '' ? undefined : frame
  }
}
