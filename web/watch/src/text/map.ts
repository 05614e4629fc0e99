/**
 * The texts of the map and of its state, in every language side by side: the element that shows the
 * map in other pages has only these. The other texts are in en.ts, de.ts and ja.ts.
 */
const words = {
  'page.title': {
    en: 'The town',
    de: 'Die Stadt',
    ja: 'タウン',
  },
  'page.map': {
    en: 'Map',
    de: 'Karte',
    ja: 'マップ',
  },
  'page.mapRole': {
    en: 'town map',
    de: 'Stadtkarte',
    ja: 'タウンマップ',
  },
  'map.resident': {
    en: '{who}, {kind}, {place}',
    de: '{who}, {kind}, {place}',
    ja: '{who}、{kind}、{place}',
  },
  'map.doing': {
    en: '{kind}, {state}',
    de: '{kind}, {state}',
    ja: '{kind}、{state}',
  },
  'map.step': {
    en: '{step}. {what}',
    de: '{step}. {what}',
    ja: '{step}. {what}',
  },
  'map.stepSaid': {
    en: '{step}: {text}',
    de: '{step}: {text}',
    ja: '{step}: {text}',
  },
  'map.zoom': {
    en: 'Scale of the map',
    de: 'Maßstab der Karte',
    ja: 'マップの縮尺',
  },
  'map.zoomIn': {
    en: 'Closer',
    de: 'Vergrößern',
    ja: '拡大',
  },
  'map.zoomOut': {
    en: 'Farther',
    de: 'Verkleinern',
    ja: '縮小',
  },
  'map.fit': {
    en: 'Whole town',
    de: 'Ganze Stadt',
    ja: '全体を表示',
  },
  'map.overview': {
    en: 'Overview: back to where people are',
    de: 'Übersicht: zurück zu den Bewohnern',
    ja: '全体図：住民のいる場所へ戻る',
  },
  'map.overviewHow': {
    en: 'Click or drag to go there. Arrow keys move the map, Enter goes back to where people are.',
    de: 'Klicken oder ziehen, um dorthin zu gehen. Pfeiltasten bewegen die Karte, Enter führt zurück zu den Bewohnern.',
    ja: 'クリックまたはドラッグでその場所へ移動します。矢印キーで地図が動き、Enter で住民のいる場所へ戻ります。',
  },
  'map.you': {
    en: 'you',
    de: 'Sie',
    ja: 'あなた',
  },
  'tab.residents': {
    en: 'Residents',
    de: 'Bewohner',
    ja: '住民',
  },
  'residents.kind.agent': {
    en: 'Agent',
    de: 'Agent',
    ja: 'エージェント',
  },
  'residents.kind.mcp': {
    en: 'MCP placement',
    de: 'MCP-Server',
    ja: 'MCP サーバー',
  },
  'residents.kind.human': {
    en: 'Person',
    de: 'Mensch',
    ja: '人',
  },
  'residents.kind.structure': {
    en: 'Structure',
    de: 'Gebäude',
    ja: '建物',
  },
  'state.waiting': {
    en: 'waiting',
    de: 'wartet',
    ja: '人を待機',
  },
  'state.failed': {
    en: 'failed',
    de: 'gescheitert',
    ja: '失敗',
  },
  'state.working': {
    en: 'working',
    de: 'arbeitet',
    ja: '作業中',
  },
  'state.done': {
    en: 'done',
    de: 'fertig',
    ja: '完了',
  },
  'state.idle': {
    en: 'idle',
    de: 'untätig',
    ja: '待機中',
  },
  'residents.at': {
    en: 'at {x}, {y}',
    de: 'bei {x} / {y}',
    ja: '位置 ({x}, {y})',
  },
  'residents.unnamed': {
    en: 'Somebody without a name',
    de: 'Jemand ohne Namen',
    ja: '名前のない住民',
  },
  'journey.origin': {
    en: 'Set out',
    de: 'Aufgebrochen',
    ja: '出発',
  },
  'journey.structure': {
    en: 'Used {tool}',
    de: '{tool} benutzt',
    ja: '{tool} を使用',
  },
  'journey.destination': {
    en: 'Arrived',
    de: 'Angekommen',
    ja: '到着',
  },
  'status.connecting': {
    en: 'Connecting',
    de: 'Verbindung wird aufgebaut',
    ja: '接続中',
  },
  'status.live': {
    en: 'Live',
    de: 'Live',
    ja: 'ライブ',
  },
  'status.waiting': {
    en: 'No answer yet. A browser opens only six connections to a host: if many of its tabs are open, close some',
    de: 'Noch keine Antwort. Ein Browser öffnet nur sechs Verbindungen zu einem Host: Sind viele seiner Tabs offen, schließen Sie einige',
    ja: 'まだ応答がありません。ブラウザーがホストに開く接続は 6 つまでです。このホストのタブが多い場合は、いくつか閉じてください',
  },
  'status.reconnecting': {
    en: 'Reconnecting',
    de: 'Verbindung wird wiederhergestellt',
    ja: '再接続中',
  },
  'status.verified': {
    en: 'Verified',
    de: 'Verifiziert',
    ja: '検証済み',
  },
  'status.catchingUp': {
    en: 'Catching up',
    de: 'Holt auf',
    ja: '追いつき中',
  },
  'status.notVerified': {
    en: 'Not verified',
    de: 'Nicht verifiziert',
    ja: '未検証',
  },
  'status.unverifiable': {
    en: 'Not verifiable',
    de: 'Nicht verifizierbar',
    ja: '検証不可',
  },
  'status.unread': {
    en: 'Not read yet',
    de: 'Noch nicht gelesen',
    ja: '未読み込み',
  },
  'refused.frameWhy': {
    en: 'The operator of this world has not opened it to everyone, and the page that shows it here has no access to it.',
    de: 'Der Betreiber dieser Welt hat sie nicht für alle freigegeben, und die Seite, die sie hier zeigt, hat keinen Zugang zu ihr.',
    ja: 'このワールドは一般には公開されておらず、ここに表示しているページにはアクセス権がありません。',
  },
  'refused.frameExpiredWhy': {
    en: 'The page that shows this world here had access for an hour at most. Load that page again.',
    de: 'Die Seite, die diese Welt hier zeigt, hatte für höchstens eine Stunde Zugang. Laden Sie jene Seite neu.',
    ja: 'このワールドを表示しているページのアクセス権は最長 1 時間で切れます。そのページを読み込み直してください。',
  },
} as const

type Words = typeof words
export type MapWords<Language extends 'en' | 'de' | 'ja'> = { readonly [Key in keyof Words]: Words[Key][Language] }

/** Returns the texts in one language. */
export function mapWords<Language extends 'en' | 'de' | 'ja'>(language: Language): MapWords<Language> {
  return Object.fromEntries(Object.entries(words).map(([key, all]) => [key, all[language]])) as MapWords<Language>
}
