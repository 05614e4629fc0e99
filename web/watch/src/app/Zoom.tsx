import type { VNode } from 'preact'
import { text } from '../text/text.js'
import type { Town } from '../town/town.js'

/** Buttons for the scale of the map: for one finger, a mouse without a wheel, and people who expect buttons. */
export function Zoom({ town }: { town: Town | undefined }): VNode {
  return (
    <div class="zoom" role="group" aria-label={text('map.zoom')}>
      <button type="button" aria-label={text('map.zoomIn')} title={text('map.zoomIn')} onClick={() => { town?.zoomBy(1.4) }}>+</button>
      <button type="button" aria-label={text('map.zoomOut')} title={text('map.zoomOut')} onClick={() => { town?.zoomBy(1 / 1.4) }}>−</button>
      <button type="button" aria-label={text('map.fit')} title={text('map.fit')} onClick={() => { town?.fit() }}>⤢</button>
    </div>
  )
}
