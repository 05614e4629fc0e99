import type { Palette } from './palette.js'
import { shade } from './palette.js'
import type { Scenery, SceneryKind } from './scenery.js'

type Draw = CanvasRenderingContext2D

function blob(c: Draw, x: number, y: number, rx: number, ry: number, fill: string): void {
  c.beginPath()
  c.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2)
  c.fillStyle = fill
  c.fill()
}

function greens(p: Palette, variety: number): readonly [string, string] {
  // Autumn gold is rare.
  const index = variety > 0.93 ? 3 : Math.floor(variety * 37) % 3
  return p.trees[index] ?? ['#86ad74', '#6d9760']
}

const drawers: Readonly<Record<SceneryKind, (c: Draw, p: Palette, variety: number) => void>> = {
  tree(c, p, variety) {
    const [light, deep] = greens(p, variety)
    const size = 0.82 + variety * 0.4
    c.scale(size, size)
    blob(c, 2, 2, 13, 4.6, p.shadow)
    c.fillStyle = p.trunk
    c.fillRect(-1.8, -9, 3.6, 11)
    blob(c, 0, -17, 12.5, 12, deep)
    blob(c, -2.4, -19.6, 9.6, 9, light)
    blob(c, -4.6, -22.4, 3.8, 3.2, p.dark ? 'rgb(255 255 255 / 5%)' : 'rgb(255 255 255 / 20%)')
  },
  fir(c, p, variety) {
    const [light, deep] = p.trees[2] ?? ['#79a583', '#618e6d']
    const size = 0.85 + variety * 0.45
    c.scale(size, size)
    blob(c, 2, 2, 10, 3.8, p.shadow)
    c.fillStyle = p.trunk
    c.fillRect(-1.5, -5, 3, 7)
    for (const [y, w, fill] of [[-4, 10.5, deep], [-12, 8.6, light], [-19, 6.4, deep]] as const) {
      c.beginPath()
      c.moveTo(-w, y)
      c.quadraticCurveTo(0, y + 4, w, y)
      c.lineTo(0, y - 14)
      c.closePath()
      c.fillStyle = fill
      c.fill()
    }
  },
  bush(c, p, variety) {
    const [light, deep] = greens(p, variety)
    blob(c, 1, 1, 10, 3.6, p.shadow)
    blob(c, -4, -4, 6.4, 5.6, deep)
    blob(c, 4.4, -3.6, 5.8, 5, deep)
    blob(c, 0, -6.4, 6.4, 5.4, light)
    if (variety > 0.5) for (const [x, y] of [[-4, -6], [1, -8], [5, -4]] as const) blob(c, x, y, 1.1, 1.1, p.dark ? '#a06a6a' : '#d9605a')
  },
  flowers(c, p, variety) {
    const hues = p.dark ? ['#8d7fb3', '#a8807a', '#a89a5e'] : ['#b79be0', '#f0a09a', '#f3cf62']
    c.strokeStyle = p.tuft
    c.lineWidth = 1.3
    for (let i = 0; i < 5; i++) {
      const x = -8 + i * 4
      const y = -3 - ((i * 7 + Math.floor(variety * 11)) % 4) * 1.6
      c.beginPath()
      c.moveTo(x, 1)
      c.lineTo(x, y)
      c.stroke()
      blob(c, x, y - 1, 2.1, 2.1, hues[(i + Math.floor(variety * 10)) % 3] ?? '#f3cf62')
    }
  },
  tuft(c, p) {
    c.strokeStyle = p.tuft
    c.lineWidth = 1.5
    c.beginPath()
    for (const [x, dx] of [[-5, -2], [0, 0], [5, 2]] as const) {
      c.moveTo(x, 1)
      c.lineTo(x + dx, -5)
    }
    c.stroke()
  },
  rock(c, p, variety) {
    blob(c, 1, 1, 9, 3.4, p.shadow)
    blob(c, 0, -3, 8, 5.4, shade(p.dark ? '#4d515c' : '#b8b2a4', variety * 0.1))
    blob(c, -2, -5, 4.4, 2.6, shade(p.dark ? '#5a5f6b' : '#d0cabb', 0))
  },
  lamp(c, p) {
    blob(c, 1, 1, 4, 1.8, p.shadow)
    if (p.dark) {
      const light = c.createRadialGradient(0, -19, 1, 0, -12, 36)
      light.addColorStop(0, p.glow)
      light.addColorStop(1, p.glowEnd)
      c.fillStyle = light
      c.fillRect(-38, -52, 76, 80)
    }
    c.fillStyle = p.dark ? '#0f1219' : '#5c5548'
    c.fillRect(-1, -18, 2, 19)
    blob(c, 0, -20, 3.4, 3.8, p.dark ? '#ffe3a0' : '#fff3cc')
    c.strokeStyle = p.dark ? '#0f1219' : '#5c5548'
    c.lineWidth = 1
    c.stroke()
  },
  bench(c, p) {
    blob(c, 1, 2, 11, 3, p.shadow)
    c.fillStyle = p.wood
    c.beginPath()
    c.roundRect(-10, -8, 20, 3.4, 1.2)
    c.roundRect(-10, -3.4, 20, 3.6, 1.2)
    c.fill()
    c.fillRect(-8.5, -1, 2, 4)
    c.fillRect(6.5, -1, 2, 4)
  },
}

/** Draws one thing of the scenery; the context is in ground units. */
export function drawScenery(c: Draw, thing: Scenery, p: Palette): void {
  c.save()
  c.translate(thing.x, thing.y)
  drawers[thing.kind](c, p, thing.variety)
  c.restore()
}
