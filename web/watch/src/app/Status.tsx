import type { VNode } from 'preact'
import { text, type TextKey } from '../text/text.js'
import { clockTime } from '../text/times.js'
import type { Link } from '../world/link.js'
import type { WorldStore } from '../world/store.js'
import { FleetingButton } from './FleetingButton.js'
import { useNow, useSlow } from './now.js'
import { Proof } from './Proof.js'

const verifications = {
  'verified': 'verified', 'catching-up': 'catchingUp', 'mismatch': 'notVerified', 'unverifiable': 'unverifiable', 'unread': 'unread',
} as const

/** The status corner: the connection, and whether the shown world is verified. */
export function Status({ store }: { store: WorldStore }): VNode {
  const open = store.sheet.value === 'proof'
  const toggle = (on: boolean): void => { store.sheet.value = on ? 'proof' : undefined }
  const link = store.link.value
  const verification = store.verification.value
  const snapshot = store.snapshot.value
  const wentBack = verification === 'verified' && store.wentBack.value
  const word = wentBack ? 'wentBack' : verifications[verification]
  const live = link.state === 'live'
  // While the host does not answer, the last verification is valid only for its own time.
  const { at } = store.proved.value
  const stale = verification === 'verified' && !live && at !== undefined
  const root = snapshot?.merkleRootHex ?? ''
  const then = store.time.value
  const away = link.state === 'reconnecting' || link.state === 'host-gone'
  return (
    <section class="status" tabIndex={-1} aria-label={text('status.name')} data-connection={link.state}
      data-verified={stale ? 'stale' : wentBack ? 'went-back' : verification === 'mismatch' ? 'not-verified' : verification} data-rev={snapshot?.rev} data-root={root} data-time={then?.seq}>
      <span class={`lamp ${then === undefined ? link.state : 'past'}`}>{store.recording.value !== undefined ? `${text('status.recording')} · ${store.recording.value}` : then === undefined ? <LinkWords link={link} /> : text('status.past')}</span>
      {away && <FleetingButton onClick={() => { store.retry() }}>{text('status.retry')}</FleetingButton>}
      <button type="button" class={`link seal ${then?.proved === true ? 'verified' : stale ? `stale ${link.state}` : wentBack ? 'mismatch' : verification}`} aria-expanded={open} aria-controls="proof"
        title={text('proof.title')} onClick={() => { toggle(!open) }}>
        {then !== undefined ? text(then.proved ? 'status.provedThen' : 'status.unverifiable') : stale ? text('status.verifiedAt', { when: clockTime(at) }) : text(`status.${word}`)}
      </button>
      {snapshot !== undefined && <>
        <span class="fact" title={text('status.revWhy')}>{text('status.rev', { rev: String(snapshot.rev ?? '–') })}</span>
        <span class="fact mono" title={`${text('status.rootWhy')} ${root}`}>{root.slice(0, 8)}</span>
      </>}
      {open && <Proof store={store} why={then?.proved === true ? text('status.provedThenWhy') : stale ? text('status.verifiedAtWhy') : text(`status.${word}Why`)} close={() => { toggle(false) }} />}
    </section>
  )
}

const linkWords: Readonly<Record<Link['state'], TextKey>> = {
  'connecting': 'status.connecting', 'live': 'status.live', 'reconnecting': 'status.reconnecting',
  'host-gone': 'status.hostGone', 'resetting': 'status.resetting', 'ended': 'status.ended', 'recording': 'status.recording',
}

/** The connection as text. */
export function LinkWords({ link }: { link: Link }): VNode {
  const slow = useSlow(link.retryAt === undefined && (link.state === 'connecting' || link.state === 'reconnecting' || link.state === 'host-gone'))
  const now = useNow(link.retryAt === undefined ? undefined : 500)
  const count = link.retryAt === undefined ? 0 : Math.ceil((link.retryAt - now) / 1000)
  if (count > 0 && link.state === 'reconnecting') return <>{text('status.reconnectingIn', { count })}</>
  if (count > 0 && link.state === 'host-gone') return <>{text('status.hostGoneIn', { count })}</>
  return <>{text(slow ? 'status.waiting' : linkWords[link.state])}</>
}
