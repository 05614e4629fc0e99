import { defaultClientConditions, defineConfig } from 'vite'

/** The host that `npm run dev` shows: its API, while the page comes from its sources. */
const host = process.env.PLAYCTL_HOST ?? 'http://127.0.0.1:7420'

/**
 * The page is served at /play/watch, or /agent-play/watch for clients of the
 * older paths, and its assets in a folder of the same name: so it refers to them
 * as watch/assets/…, and they to one another relative to themselves.
 *
 * Names hold a hash of the content, so that a host may let browsers keep them
 * for good. The same sources give the same bytes on every machine.
 */
export default defineConfig(({ command }) => ({
  base: command === 'serve' ? '/play/' : './',
  resolve: { conditions: ['@playctl/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  experimental: {
    renderBuiltUrl: (filename, { hostType }) => (hostType === 'html' ? `watch/${filename}` : { relative: true }),
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: false } },
  },
  server: { proxy: { '/api': host, '/play/watch/session': host } },
}))
