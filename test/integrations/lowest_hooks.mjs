// Looks for packages first in the folder named by LOWEST.
import process from 'node:process'

const here = new URL('./', import.meta.url).href
const lowest = new URL(`./${process.env.LOWEST}/tests.mjs`, import.meta.url).href

/** Resolves the imports of the tests. */
export async function resolve(specifier, context, next) {
  const ours = context.parentURL?.startsWith(here) === true && !context.parentURL.includes('/node_modules/')
  if (ours && !/^(?:\.|\/|[a-z]+:)/u.test(specifier)) {
    try {
      return await next(specifier, { ...context, parentURL: lowest })
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    }
  }
  return next(specifier, context)
}
