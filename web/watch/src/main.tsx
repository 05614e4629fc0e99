import { render } from 'preact'
import './theme.css'

const page = document.getElementById('page')
if (page === null) {
  throw new Error('index.html has no element with the id "page"')
}
render(<main><h1>playctl</h1></main>, page)
