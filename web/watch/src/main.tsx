import { render } from 'preact'
import { pageClient, placeOf, tokenIn } from './access/access.js'
import { Root } from './app/Root.js'
import { language } from './text/text.js'
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
if (token !== undefined) {
  // A token must not stay where others can read it, nor in the history.
  history.replaceState(null, '', location.pathname + location.search)
}
document.documentElement.lang = language
render(<Root client={pageClient(placeOf(location.pathname))} token={token} />, page)
