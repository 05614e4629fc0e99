import { start } from './app/start.js'
import './theme.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/panel.css'
import './styles/feed.css'
import './styles/time.css'

/** A browser that paints no frame, such as one that loads the page ahead, is waited for so many milliseconds. */
const longestFrame = 100

/**
 * Resolves when what index.html has by itself was painted. The first frame of the page
 * takes hundreds of milliseconds on a slow machine, before which nothing else is.
 */
async function painted(): Promise<void> {
  if (document.visibilityState === 'hidden') return
  await new Promise<void>((resolve) => {
    // A frame is painted after its callbacks; a timer that one sets ends behind that.
    requestAnimationFrame(() => { setTimeout(resolve) })
    setTimeout(resolve, longestFrame)
  })
}

void painted().then(start)
