import { render } from 'preact'
import { framed, pageClient, passIn, showPass, tokenIn } from '../access/access.js'
import { placeOf } from '../access/place.js'
import { chooseLanguage, languages } from '../text/languages.js'
import { speak } from '../text/text.js'
import { parseAddress } from './address.js'
import { Root } from './Root.js'

/** Removes the token from the address immediately and, after `time`, shows the page in the reader's language. */
export async function start(time: Promise<void>): Promise<void> {
  const place = document.getElementById('page')
  if (place === null) {
    throw new Error('index.html has no element with the id "page"')
  }
  const token = tokenIn(location.hash)
  const pass = passIn(location.hash)
  if (framed && pass !== undefined) showPass(pass)
  if (token !== undefined || pass !== undefined) {
    // A token must not stay where others can read it, or in the history.
    history.replaceState(null, '', location.pathname + location.search)
  }
  const { language, locale } = chooseLanguage(parseAddress(location.search).lang, navigator.languages)
  try {
    speak(await languages[language].words(), locale)
    document.documentElement.lang = language
    document.documentElement.dir = languages[language].direction
  } catch {
    // The host is unreachable by now: the page says so in English, which is built in.
  }
  await time
  // Opening a link in a tab with this page changes only the fragment.
  addEventListener('hashchange', () => {
    if (tokenIn(location.hash) !== undefined || passIn(location.hash) !== undefined) location.reload()
  })
  render(<Root client={pageClient(placeOf(location.pathname))} token={token} />, place)
}
