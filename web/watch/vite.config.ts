import { defaultClientConditions, defineConfig, type Plugin } from 'vite'
import { contractWords } from './src/text/contract.js'
import { de } from './src/text/de.js'
import { en } from './src/text/en.js'
import { ja } from './src/text/ja.js'
import { mapWords } from './src/text/map.js'

/** The host that `npm run dev` shows: its API, while the page comes from its sources. */
const host = process.env.PLAYCTL_HOST ?? 'http://127.0.0.1:7420'

/** Puts the words of index.html where it names them, as %text:page.title%. */
const words: Plugin = {
  name: 'words',
  transformIndexHtml: (html) => html
    .replaceAll('%text:page.title%', en['page.title'])
    .replaceAll('%text:page.program%', en['page.program'])
    .replaceAll('%text:page.noScript%', Object.entries({ en, de, ja }).map(([lang, words]) => `<p lang="${lang}">${words['page.noScript']}</p>`).join('')),
}

/** Puts only one language's texts of contract.ts and map.ts into each language's file: a page loads no unused ones. */
const oneLanguage: Plugin = {
  name: 'one-language',
  enforce: 'pre',
  transform: (code, id) => {
    const [, language] = /\/text\/(en|de|ja)\.ts$/.exec(id) ?? []
    if (language !== 'en' && language !== 'de' && language !== 'ja') return null
    return code
      .replace(`...contractWords('${language}')`, () => `...${JSON.stringify(contractWords(language))}`)
      .replace(`...mapWords('${language}')`, () => `...${JSON.stringify(mapWords(language))}`)
  },
}

/**
 * The page is served at /play/watch, or /agent-play/watch for clients of the
 * older paths, and its assets in a folder of the same name: so it refers to them
 * as watch/assets/…, and they to one another relative to themselves.
 *
 * Names are without a hash, so that a changed text changes one or two files of
 * dist. The host serves them in a folder named by a hash of all of them, so that
 * browsers may keep them and never mix two builds. The same sources give the same
 * bytes on every machine.
 */
export default defineConfig(({ command }) => ({
  plugins: [words, oneLanguage],
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
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/[name].js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
      },
    },
  },
  server: { proxy: { '/api': host, '/play/watch/session': host } },
}))
