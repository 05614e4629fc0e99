import { render } from 'preact'
import { framed, pageClient, passIn, showPass, tokenIn } from './access/access.js'
import { placeOf } from './access/place.js'
import { parseAddress } from './app/address.js'
import { Root } from './app/Root.js'
import { chooseLanguage, languages } from './text/languages.js'
import { speak } from './text/text.js'
import './theme.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/panel.css'
import './styles/feed.css'
import './styles/time.css'

const page = document.getElementById('page')
if (page === null) {
  throw new Error('index.html has no element with the id "page"')
}
const token = tokenIn(location.hash)
const pass = passIn(location.hash)
if (framed && pass !== undefined) showPass(pass)
if (token !== undefined || pass !== undefined) {
  // A token must not stay where others can read it, nor in the history.
  history.replaceState(null, '', location.pathname + location.search)
}
void start(page)

/** Shows the page in the language of its reader. */
async function start(place: HTMLElement): Promise<void> {
  const { language, locale } = chooseLanguage(parseAddress(location.search).lang, navigator.languages)
  try {
    speak(await languages[language].words(), locale)
    document.documentElement.lang = language
    document.documentElement.dir = languages[language].direction
  } catch {
    // The host is gone meanwhile: the page says so in English, which came with it.
  }
  render(<Root client={pageClient(placeOf(location.pathname))} token={token} />, place)
}
