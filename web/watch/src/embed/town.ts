/** The script that pages of other origins load: it defines the element `<playctl-town>`. */

import { PlayctlTown } from './element.js'

// A page may have the scripts of two hosts: the first one defines the element, which shows both.
if (customElements.get('playctl-town') === undefined) customElements.define('playctl-town', PlayctlTown)
