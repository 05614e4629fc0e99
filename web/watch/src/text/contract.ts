/**
 * The texts for names of the contract, in every language side by side: a new field of a row or
 * kind of event is one edit here. The other texts are in en.ts, de.ts and ja.ts.
 */
const words = {
  // Fields of rows.
  'panel.platform': {
    en: 'Platform',
    de: 'Plattform',
    ja: 'プラットフォーム',
  },
  'panel.node': {
    en: 'Node',
    de: 'Knoten',
    ja: 'ノード',
  },
  'panel.agent': {
    en: 'Agent id',
    de: 'Agenten-ID',
    ja: 'エージェント ID',
  },
  'panel.id': {
    en: 'Id',
    de: 'ID',
    ja: 'ID',
  },
  'panel.owner': {
    en: 'Owner',
    de: 'Besitzer',
    ja: '所有者',
  },
  'panel.position': {
    en: 'Place',
    de: 'Ort',
    ja: '位置',
  },
  'panel.lastSeen': {
    en: 'Last active',
    de: 'Zuletzt aktiv',
    ja: '最後の活動',
  },
  'panel.tools': {
    en: 'Tools',
    de: 'Werkzeuge',
    ja: 'ツール',
  },
  'panel.zones': {
    en: 'Zones',
    de: 'Zonen',
    ja: 'ゾーン',
  },
  'panel.url': {
    en: 'Address',
    de: 'Adresse',
    ja: 'アドレス',
  },
  'panel.description': {
    en: 'Description',
    de: 'Beschreibung',
    ja: '説明',
  },
  'panel.design': {
    en: 'Design',
    de: 'Gestaltung',
    ja: 'デザイン',
  },
  'panel.amenities': {
    en: 'Amenities',
    de: 'Ausstattung',
    ja: '設備',
  },
  'panel.instructions': {
    en: 'Instructions for speech',
    de: 'Anweisungen für die Sprache',
    ja: '音声での指示',
  },
  'panel.p2a': {
    en: 'Open to others',
    de: 'Für andere offen',
    ja: '他の人からの利用',
  },
  'panel.group': {
    en: 'Group',
    de: 'Gruppe',
    ja: 'グループ',
  },
  'panel.parent': {
    en: 'Started by',
    de: 'Gestartet von',
    ja: '起動元',
  },
  'panel.children': {
    en: 'Started',
    de: 'Hat gestartet',
    ja: '起動した相手',
  },
  'panel.usage': {
    en: 'Used so far',
    de: 'Bisher verbraucht',
    ja: 'これまでの使用量',
  },
  'usage.tokens': {
    en: '{tokens} tokens',
    de: '{tokens} Tokens',
    ja: '{tokens} トークン',
  },
  'usage.calls': {
    en: { one: '{count} tool call', other: '{count} tool calls' },
    de: { one: '{count} Werkzeugaufruf', other: '{count} Werkzeugaufrufe' },
    ja: { other: 'ツール呼び出し {count} 回' },
  },
  'usage.errors': {
    en: { one: '{count} error', other: '{count} errors' },
    de: { one: '{count} Fehler', other: '{count} Fehler' },
    ja: { other: 'エラー {count} 件' },
  },
  'amenity.shop': {
    en: 'shop',
    de: 'Laden',
    ja: '店',
  },
  'amenity.supermarket': {
    en: 'supermarket',
    de: 'Supermarkt',
    ja: 'スーパーマーケット',
  },
  'amenity.car_wash': {
    en: 'car wash',
    de: 'Autowaschanlage',
    ja: '洗車場',
  },

  // Kinds of events.
  'kind.speech': {
    en: 'Speech',
    de: 'Gesagtes',
    ja: '発言',
  },
  'kind.journey': {
    en: 'Journeys',
    de: 'Reisen',
    ja: '旅',
  },
  'kind.activity': {
    en: 'States',
    de: 'Zustände',
    ja: '状態',
  },
  'kind.presence': {
    en: 'Comings and goings',
    de: 'Kommen und Gehen',
    ja: '出入り',
  },
  'kind.place': {
    en: 'Placements and spaces',
    de: 'MCP-Server und Räume',
    ja: 'MCP サーバーとスペース',
  },
  'kind.signal': {
    en: 'Signals',
    de: 'Signale',
    ja: 'シグナル',
  },
  'kind.intercom': {
    en: 'Your conversations',
    de: 'Ihre Gespräche',
    ja: 'あなたのやり取り',
  },
  'kind.session': {
    en: 'Session',
    de: 'Sitzung',
    ja: 'セッション',
  },

  // Events.
  'event.added': {
    en: '{who} came to {x}, {y}',
    de: '{who} ist bei {x} / {y} angekommen',
    ja: '{who} が ({x}, {y}) に来ました',
  },
  'event.walked': {
    en: '{who} walked to {x}, {y}',
    de: '{who} ist nach {x} / {y} gegangen',
    ja: '{who} が ({x}, {y}) へ歩きました',
  },
  'event.changed': {
    en: '{who} changed',
    de: '{who} hat sich geändert',
    ja: '{who} が変わりました',
  },
  'event.removed.disconnect': {
    en: '{who} left',
    de: '{who} ist gegangen',
    ja: '{who} が去りました',
  },
  'event.removed.lease': {
    en: '{who} left: its lease expired',
    de: '{who} ist gegangen: Lease abgelaufen',
    ja: '{who} が去りました: リースの期限切れ',
  },
  'event.removed.deleted': {
    en: '{who} was deleted',
    de: '{who} wurde gelöscht',
    ja: '{who} が削除されました',
  },
  'event.removed.admin': {
    en: '{who} was removed by the administrator',
    de: '{who} wurde vom Administrator entfernt',
    ja: '{who} が管理者によって削除されました',
  },
  'event.removed.other': {
    en: '{who} left: {reason}',
    de: '{who} ist gegangen: {reason}',
    ja: '{who} が去りました: {reason}',
  },
  'event.mcpAdded': {
    en: '{who} was placed at {x}, {y}',
    de: '{who} wurde bei {x} / {y} aufgestellt',
    ja: '{who} が ({x}, {y}) に置かれました',
  },
  'event.mcpRemoved': {
    en: '{who} was removed from the map',
    de: '{who} wurde entfernt',
    ja: '{who} が撤去されました',
  },
  'event.said.user': {
    en: '{who} was asked',
    de: '{who} wurde gefragt',
    ja: '{who} への質問',
  },
  'event.said.assistant': {
    en: '{who} said',
    de: '{who} hat gesagt',
    ja: '{who} の発言',
  },
  'event.said.tool': {
    en: '{who} used a tool',
    de: '{who} hat ein Werkzeug benutzt',
    ja: '{who} がツールを使いました',
  },
  'event.said.other': {
    en: '{who} spoke',
    de: '{who} hat gesprochen',
    ja: '{who} が話しました',
  },
  'event.journey': {
    en: { one: '{who} traveled {count} step', other: '{who} traveled {count} steps' },
    de: { one: '{who} ist {count} Schritt gereist', other: '{who} ist {count} Schritte gereist' },
    ja: { other: '{who} が {count} ステップの旅をしました' },
  },
  'event.activity.waiting': {
    en: '{who} is waiting for a person',
    de: '{who} wartet auf einen Menschen',
    ja: '{who} が人を待っています',
  },
  'event.activity.failed': {
    en: '{who} failed',
    de: '{who} ist gescheitert',
    ja: '{who} が失敗しました',
  },
  'event.activity.working': {
    en: '{who} is working',
    de: '{who} arbeitet',
    ja: '{who} が作業中です',
  },
  'event.activity.done': {
    en: '{who} is done',
    de: '{who} ist fertig',
    ja: '{who} が完了しました',
  },
  'event.activity.idle': {
    en: '{who} is idle',
    de: '{who} hat nichts zu tun',
    ja: '{who} は待機中です',
  },
  'event.signal.journey': {
    en: { one: '{who} signals a journey of {count} step', other: '{who} signals a journey of {count} steps' },
    de: { one: '{who} meldet eine Reise mit {count} Schritt', other: '{who} meldet eine Reise mit {count} Schritten' },
    ja: { other: '{who} が {count} ステップの旅を知らせました' },
  },
  'event.signal.metadata': {
    en: 'The world changed: {reason}',
    de: 'Die Welt hat sich geändert: {reason}',
    ja: 'ワールドが変わりました: {reason}',
  },
  'event.signal.zone': {
    en: { one: '{who} got a zone signal, {count} in all', other: '{who} got a zone signal, {count} in all' },
    de: { one: 'Jemand hat die Zone von {who} betreten, bisher {count}-mal', other: 'Jemand hat die Zone von {who} betreten, bisher {count}-mal' },
    ja: { other: '誰かが {who} のゾーンに入りました (これまでに {count} 回)' },
  },
  'event.signal.zoneOf': {
    en: { one: '{from} entered the zone of {who}, {count} time in all', other: '{from} entered the zone of {who}, {count} times in all' },
    de: { one: '{from} hat die Zone von {who} betreten, bisher {count}-mal', other: '{from} hat die Zone von {who} betreten, bisher {count}-mal' },
    ja: { other: '{from} が {who} のゾーンに入りました (これまでに {count} 回)' },
  },
  'event.signal.yield': {
    en: { one: '{who} yielded, {count} time in all', other: '{who} yielded, {count} times in all' },
    de: { one: '{who} ist ausgewichen, bisher {count}-mal', other: '{who} ist ausgewichen, bisher {count}-mal' },
    ja: { other: '{who} が譲りました (これまでに {count} 回)' },
  },
  'event.signal.yieldTo': {
    en: { one: '{who} yielded to {from}, {count} time in all', other: '{who} yielded to {from}, {count} times in all' },
    de: { one: '{who} ist {from} ausgewichen, bisher {count}-mal', other: '{who} ist {from} ausgewichen, bisher {count}-mal' },
    ja: { other: '{who} が {from} に譲りました (これまでに {count} 回)' },
  },
  'event.signal.assist': {
    en: '{from} asks {who} for help',
    de: '{from} bittet {who} um Hilfe',
    ja: '{from} が {who} に助けを求めています',
  },
  'event.signal.chat': {
    en: '{from} talks to {who}',
    de: '{from} spricht mit {who}',
    ja: '{from} が {who} に話しかけています',
  },
  'event.signal.wave': {
    en: '{from} waves at {who}',
    de: '{from} winkt {who} zu',
    ja: '{from} が {who} に手を振っています',
  },
  'event.signal.other': {
    en: '{who} signals {kind}',
    de: '{who} signalisiert {kind}',
    ja: '{who} のシグナル: {kind}',
  },
  'event.space.created': {
    en: 'The space {space} was made',
    de: 'Der Raum {space} wurde angelegt',
    ja: 'スペース {space} が作られました',
  },
  'event.space.changed': {
    en: 'The space {space} changed',
    de: 'Der Raum {space} wurde geändert',
    ja: 'スペース {space} が変わりました',
  },
  'event.space.removed': {
    en: 'The space {space} was removed',
    de: 'Der Raum {space} wurde entfernt',
    ja: 'スペース {space} が削除されました',
  },
  'event.intercom.started': {
    en: 'You asked {who}',
    de: 'Sie haben {who} gefragt',
    ja: '{who} に質問しました',
  },
  'event.intercom.forwarded': {
    en: '{who} has your question',
    de: '{who} hat Ihre Frage',
    ja: '{who} に質問が届きました',
  },
  'event.intercom.stream': {
    en: '{who} is answering',
    de: '{who} antwortet',
    ja: '{who} が回答中です',
  },
  'event.intercom.completed': {
    en: '{who} answered',
    de: '{who} hat geantwortet',
    ja: '{who} が回答しました',
  },
  'event.intercom.failed': {
    en: '{who} could not answer',
    de: '{who} konnte nicht antworten',
    ja: '{who} は回答できませんでした',
  },
  'event.reset': {
    en: 'The world was reset',
    de: 'Die Welt hat neu begonnen',
    ja: 'ワールドが新しく始まりました',
  },
  'event.resync': {
    en: 'Some events are missing here',
    de: 'Hier fehlen einige Ereignisse',
    ja: 'ここにはいくつかの出来事が欠けています',
  },
  'event.other': {
    en: '{kind}',
    de: '{kind}',
    ja: '{kind}',
  },
} as const

type Words = typeof words

/** Returns the texts in one language. */
export function contractWords<Language extends 'en' | 'de' | 'ja'>(language: Language): { readonly [Key in keyof Words]: Words[Key][Language] } {
  return Object.fromEntries(Object.entries(words).map(([key, all]) => [key, all[language]])) as { [Key in keyof Words]: Words[Key][Language] }
}
