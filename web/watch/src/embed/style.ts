/** The style of the element; a page's own style applies to the element only as a whole, and changes its size and its corners. */
const rules = `
:host { display: block; position: relative; box-sizing: border-box; width: 100%; min-height: 220px; aspect-ratio: 3 / 2; overflow: hidden; contain: content; border-radius: 12px; }
:host([hidden]) { display: none; }
.frame { --paper: #fffaf0; --ink: #2c2933; --line: #dccfb0; --focus: #1f5c9e; position: absolute; inset: 0; color: var(--ink); background: #dde5c6;
  font: 0.875rem/1.4 ui-rounded, 'Segoe UI', Cantarell, Ubuntu, 'Noto Sans', system-ui, sans-serif; }
.frame[data-theme=dark] { --paper: #1e2333; --ink: #f4ecdb; --line: #3c4460; --focus: #96c0ff; background: #1c2b2e; }
.map { position: absolute; inset: 0; overflow: hidden; }
.frame:is([data-state=connecting], [data-state=reconnecting], [data-state=refused], [data-state=ended]) .map { filter: saturate(0.25); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: -3px; }
button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); cursor: pointer; padding: 0; }
.zoom { position: absolute; inset-block-start: 8px; inset-inline-end: 8px; display: grid; gap: 4px; }
.zoom button { width: 32px; height: 32px; border-radius: 10px; font-size: 1.05rem; font-weight: 600; }
@media (pointer: coarse) { .zoom button { width: 44px; height: 44px; } }
.status { position: absolute; inset-block-end: 8px; inset-inline-start: 8px; max-width: calc(100% - 16px); box-sizing: border-box; margin: 0; padding: 2px 10px;
  border-radius: 12px; border: 1px solid var(--line); background: var(--paper); }
.unseen { position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.overview { position: absolute; inset-block-end: 8px; inset-inline-end: 8px; padding: 0; line-height: 0; overflow: hidden; border-radius: 10px; }
.overview[hidden] { display: none; }
@media (forced-colors: active) { button, .status { border-color: ButtonBorder; } }
`

let sheet: CSSStyleSheet | undefined

/** Returns the style sheet, created once for all elements of a page: no content security policy forbids it, unlike a style in the page. */
export function style(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(rules)
  }
  return sheet
}
