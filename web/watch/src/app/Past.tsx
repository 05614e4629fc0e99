import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../text/text.js'
import { useLoaded } from './loaded.js'
import { servedRecording } from './served.js'
import type { WorldStore } from '../world/store.js'

/** The time bar, which is loaded when it is first opened, and the button for it. */
export function usePast(store: WorldStore): { bar: VNode | undefined, button: ComponentChildren } {
  const [file, openFile] = useState<File | undefined>(undefined)
  const open = store.barOpen.value
  const wanted = store.moment.value !== undefined
  useEffect(() => { if (wanted || file !== undefined) store.barOpen.value = true }, [store, wanted, file])
  const loaded = useLoaded(open, () => import('../time/TimeBar.js'), () => {
    store.closeBar()
    store.note.value = 'page.older'
  })
  useEffect(() => dropped(openFile), [])
  useEffect(() => {
    const name = servedRecording()
    // An unreadable recording is opened as an empty file: the bar then says that there is nothing to show.
    if (name !== '') void recording().then((read) => { openFile(new File(read, name)) }, () => { openFile(new File([], name)) })
  }, [])
  const shown = useRef<HTMLButtonElement>(null)
  // When the bar opens, it gets the focus: the button for it is gone.
  const pressed = useRef(false)
  useEffect(() => {
    if (!open || loaded === undefined || !pressed.current) return
    pressed.current = false
    if (isLost()) document.querySelector<HTMLElement>('.timebar')?.focus({ preventScroll: true })
  }, [open, loaded])
  // When the bar closes, the button that opens it gets the focus.
  const was = useRef(open)
  useEffect(() => {
    if (was.current && !open && isLost()) shown.current?.focus({ preventScroll: true })
    was.current = open
  }, [open])
  // A closed file is not opened again with the bar.
  useEffect(() => { if (!open) openFile(undefined) }, [open])
  return {
    bar: open && loaded !== undefined ? <loaded.default store={store} file={file} openFile={openFile} close={() => { store.closeBar() }} /> : undefined,
    button: open || store.link.value.state === 'recording' ? undefined : <div class="share">
      <button type="button" class="small" ref={shown} title={text('past.showWhy')} onClick={() => { pressed.current = true; store.barOpen.value = true }}>{text('past.show')}</button>
    </div>,
  }
}

/** Reports whether nothing has the focus. */
function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** Fetches the recording that the host serves. */
async function recording(): Promise<BlobPart[]> {
  const reply = await fetch(`${location.pathname}/recording`)
  return reply.ok ? [await reply.blob()] : []
}

/** Handles files that are dropped on the page; returns a function that ends that. */
function dropped(take: (file: File) => void): () => void {
  const page = document.body
  const over = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    page.dataset.drop = text('past.drop')
    page.classList.add('dropping')
  }
  const away = (): void => { page.classList.remove('dropping') }
  const drop = (event: DragEvent): void => {
    away()
    const [file] = event.dataTransfer?.files ?? []
    if (file === undefined) return
    event.preventDefault()
    take(file)
  }
  addEventListener('dragover', over)
  addEventListener('dragleave', away)
  addEventListener('drop', drop)
  return () => { removeEventListener('dragover', over); removeEventListener('dragleave', away); removeEventListener('drop', drop) }
}
