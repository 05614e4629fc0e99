import { defaultClientConditions, defineConfig } from 'vite'

/**
 * The script that shows the town in pages of other origins, beside the page in dist:
 * with a name of its own that never changes, as those pages hold it, and all in one file.
 */
export default defineConfig({
  base: './',
  publicDir: false,
  resolve: { conditions: ['@playctl/source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: 'src/embed/town.ts',
      output: { entryFileNames: 'town.js' },
    },
  },
})
