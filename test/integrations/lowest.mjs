// For node --import: these tests load packages from the folder named by LOWEST, if it has them.
import { register } from 'node:module'

register('./lowest_hooks.mjs', import.meta.url)
