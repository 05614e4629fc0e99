import type { TownState, TownTheme } from './types.js'

/** The colors of the town, by day and by night. */
export interface Palette {
  readonly dark: boolean
  readonly sea: string
  readonly shallow: string
  readonly foam: string
  readonly sand: string
  readonly grass: string
  readonly lawns: readonly string[]
  readonly tuft: string
  readonly street: string
  readonly streetEdge: string
  readonly stone: string
  readonly water: string
  readonly trees: readonly (readonly [string, string])[]
  readonly trunk: string
  readonly shadow: string
  readonly glow: string
  readonly glowEnd: string
  readonly wall: string
  readonly wallShade: string
  readonly outline: string
  readonly window: string
  readonly wood: string
  readonly plate: string
  readonly plateInk: string
  readonly plateSoft: string
  readonly plateEdge: string
  readonly paper: string
  readonly user: string
  readonly tool: string
  readonly ink: string
  readonly inkSoft: string
  readonly edge: string
  readonly pick: string
  readonly fresh: string
  readonly states: Readonly<Record<TownState, string>>
}

const day: Palette = {
  dark: false,
  sea: '#9ccbd3', shallow: '#b4dadd', foam: 'rgb(255 255 255 / 55%)', sand: '#f0e2bd',
  grass: '#cfdcae', lawns: ['#c6d6a3', '#d6e0b8', '#cad9ad', '#dbe2bc'], tuft: '#a9c087',
  street: '#f3e8cd', streetEdge: '#dcca9d', stone: '#e9dcc0', water: '#8ec7d6',
  trees: [['#86ad74', '#6d9760'], ['#9bb972', '#80a05d'], ['#79a583', '#618e6d'], ['#c9b36a', '#b09a54']],
  trunk: '#8a6a48', shadow: 'rgb(70 58 28 / 20%)', glow: 'rgb(255 214 122 / 0%)', glowEnd: 'rgb(255 214 122 / 0%)',
  wall: '#fbf3e0', wallShade: '#e8dabb', outline: '#6a563a', window: '#9dbfc9', wood: '#a47e54',
  plate: '#fffaf0', plateInk: '#2c2933', plateSoft: '#6b6571', plateEdge: 'rgb(90 70 30 / 26%)',
  paper: '#fffdf7', user: '#eef4f7', tool: '#f4efe0', ink: '#2c2933', inkSoft: '#6b6571', edge: 'rgb(90 70 30 / 34%)',
  pick: '#1f5c9e', fresh: '#2f8a58',
  states: { waiting: '#b06a00', failed: '#a3262a', working: '#1f5c9e', done: '#2a6a4a', idle: '#6b6571' },
}

const night: Palette = {
  dark: true,
  sea: '#14293c', shallow: '#193349', foam: 'rgb(160 200 230 / 16%)', sand: '#3d4346',
  grass: '#20363a', lawns: ['#1d3236', '#243c3d', '#1f3639', '#263e3c'], tuft: '#31514a',
  street: '#454a55', streetEdge: '#33383f', stone: '#4d515c', water: '#2d5b78',
  trees: [['#2f5548', '#26473d'], ['#3a5b45', '#2f4c3b'], ['#285049', '#21433e'], ['#5a5741', '#494835']],
  trunk: '#3b3130', shadow: 'rgb(0 0 0 / 38%)', glow: 'rgb(255 209 120 / 34%)', glowEnd: 'rgb(255 209 120 / 0%)',
  wall: '#5b5f75', wallShade: '#484c62', outline: '#14171f', window: '#ffd987', wood: '#6b5640',
  plate: '#151a28', plateInk: '#f6eedd', plateSoft: '#b3b1c0', plateEdge: 'rgb(190 200 240 / 26%)',
  paper: '#2a3046', user: '#22384c', tool: '#33303f', ink: '#f4ecdb', inkSoft: '#b9b5c4', edge: 'rgb(190 200 240 / 32%)',
  pick: '#96c0ff', fresh: '#86d3a6',
  states: { waiting: '#f3c659', failed: '#ff9488', working: '#96c0ff', done: '#86d3a6', idle: '#b9b5c4' },
}

/** Returns the palette of a theme. */
export function paletteOf(theme: TownTheme): Palette {
  return theme === 'dark' ? night : day
}

/** Returns a color made darker (towards -1) or lighter (towards 1): mixed with black or white by a share. */
export function shade(hex: string, share: number): string {
  const target = share < 0 ? 0 : 255
  const weight = Math.abs(share)
  const part = (from: number): number => {
    const value = parseInt(hex.slice(from, from + 2), 16)
    return Math.round(value + (target - value) * weight)
  }
  return `rgb(${part(1)} ${part(3)} ${part(5)})`
}
