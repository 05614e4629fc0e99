import type { Look } from './look.js'
import { COATS } from './look.js'
import { drawHead } from './heads.js'
import { shade } from './palette.js'

/** The pose of a figure: still, or with one foot or the other in front. */
export type Pose = 0 | 1 | 2

/** The extent of a figure on the ground, from its feet, in ground units. */
export const FIGURE = { left: -19, top: -62, width: 38, height: 66 } as const

/** The colors of the trims of coats. */
export const TRIMS = ['#fff3d6', '#3a3346', '#f2c14e', '#a9d6e5', '#a8324f', '#3d7a57'] as const

/** Half the width of the hem, by build. */
const BUILDS = [9.2, 10.6, 12] as const

type Draw = CanvasRenderingContext2D

/** Draws a figure that stands with its feet at the origin and looks to the right. */
export function drawFigure(c: Draw, look: Look, pose: Pose): void {
  const hem = BUILDS[look.build] ?? 10.6
  const coat = COATS[look.coat] ?? COATS[0]
  const swing = pose === 0 ? 0 : pose === 1 ? 1 : -1
  c.lineJoin = 'round'
  c.lineCap = 'round'
  drawFeet(c, swing)
  drawArm(c, -hem * 0.82, coat, -swing)
  drawCoat(c, look, hem, coat)
  drawArm(c, hem * 0.86, coat, swing)
  drawHead(c, look, coat)
}

function drawFeet(c: Draw, swing: number): void {
  c.fillStyle = '#35303c'
  for (const side of [-1, 1]) {
    c.beginPath()
    c.ellipse(side * 4.4 + 1, -1.6 - Math.max(0, side * swing) * 2.6, 4.2, 2.5, 0, 0, Math.PI * 2)
    c.fill()
  }
}

function drawArm(c: Draw, x: number, coat: string, swing: number): void {
  c.save()
  c.translate(x, -22)
  c.rotate((x < 0 ? 0.32 : -0.32) + swing * 0.38)
  c.fillStyle = shade(coat, -0.14)
  c.strokeStyle = shade(coat, -0.42)
  c.lineWidth = 1.1
  c.beginPath()
  c.ellipse(0, 5, 2.9, 6.6, 0, 0, Math.PI * 2)
  c.fill()
  c.stroke()
  c.restore()
}

function coatPath(c: Draw, hem: number): void {
  c.beginPath()
  c.moveTo(-hem * 0.6, -28)
  c.quadraticCurveTo(-hem * 1.02, -16, -hem, -4.5)
  c.quadraticCurveTo(0, 0.6, hem, -4.5)
  c.quadraticCurveTo(hem * 1.02, -16, hem * 0.6, -28)
  c.quadraticCurveTo(0, -32.5, -hem * 0.6, -28)
  c.closePath()
}

function drawCoat(c: Draw, look: Look, hem: number, coat: string): void {
  c.save()
  coatPath(c, hem)
  c.fillStyle = coat
  c.fill()
  c.clip()
  c.fillStyle = TRIMS[look.trim] ?? TRIMS[0]
  drawPattern(c, look.pattern, hem)
  c.fillStyle = 'rgb(30 20 50 / 13%)'
  c.beginPath()
  c.ellipse(hem * 1.25, -14, hem * 0.95, 21, 0, 0, Math.PI * 2)
  c.fill()
  c.restore()
  coatPath(c, hem)
  c.strokeStyle = shade(coat, -0.45)
  c.lineWidth = 1.2
  c.stroke()
}

/** Draws the pattern of a coat: none, a hem, bands, buttons, dots, a sash or an apron. */
function drawPattern(c: Draw, pattern: number, hem: number): void {
  const dot = (x: number, y: number, r: number): void => {
    c.beginPath()
    c.arc(x, y, r, 0, Math.PI * 2)
    c.fill()
  }
  switch (pattern) {
    case 1: c.fillRect(-20, -9, 40, 3.6); break
    case 2: for (const y of [-25, -18.4, -11.8, -5.2]) c.fillRect(-20, y, 40, 2.8); break
    case 3: for (const y of [-23, -17, -11]) dot(1.4, y, 1.5); break
    case 4: for (const [x, y] of [[-5, -22], [3, -19], [-6, -12], [2, -10], [8, -14], [-1, -26], [7, -6]] as const) dot(x, y, 1.7); break
    case 5: c.save(); c.rotate(-0.72); c.fillRect(-8, -20, 40, 5); c.restore(); break
    case 6: c.beginPath(); c.ellipse(1.5, -9, hem * 0.62, 13.5, 0, 0, Math.PI * 2); c.fill(); break
    default: break
  }
}
