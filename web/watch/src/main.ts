import { start } from './app/start.js'
import './theme.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/panel.css'
import './styles/feed.css'
import './styles/time.css'

/** The longest wait for a frame, in milliseconds: a browser may paint none, for example for a hidden page. */
const longestFrame = 1000

/**
 * Resolves when the content of index.html was painted. Rendering the page needs
 * hundreds of milliseconds on a slow machine, in which nothing else is painted.
 */
async function painted(): Promise<void> {
  if (document.visibilityState === 'hidden') return
  await new Promise<void>((resolve) => {
    // A frame is painted after its callbacks; a timer set in one ends after that.
    requestAnimationFrame(() => { setTimeout(resolve) })
    setTimeout(resolve, longestFrame)
  })
}

void start(painted())
