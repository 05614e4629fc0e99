import { start } from './app/start.js'
import './theme.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/panel.css'
import './styles/feed.css'
import './styles/time.css'

/** A browser that paints no frame, as of a page that nobody sees, is waited for so many milliseconds. */
const longestFrame = 1000

/**
 * Resolves when what index.html has by itself was painted. To render the page takes
 * hundreds of milliseconds on a slow machine, in which nothing else is painted.
 */
async function painted(): Promise<void> {
  if (document.visibilityState === 'hidden') return
  await new Promise<void>((resolve) => {
    // A frame is painted after its callbacks; a timer that one sets ends behind that.
    requestAnimationFrame(() => { setTimeout(resolve) })
    setTimeout(resolve, longestFrame)
  })
}

void start(painted())
