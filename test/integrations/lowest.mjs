// For node --import: the tests here take the packages of the folder that LOWEST names, where it has them.
import { register } from 'node:module'

register('./lowest_hooks.mjs', import.meta.url)
