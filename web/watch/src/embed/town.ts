/** The script that pages of other origins load: it makes `<playctl-town>` an element. */

import { PlayctlTown } from './element.js'

// Two scripts of two hosts may be in one page: the first one counts, and shows both.
if (customElements.get('playctl-town') === undefined) customElements.define('playctl-town', PlayctlTown)
