/** Returns the commands that put an agent on the map of a host, in order; with accounts, from a new account. */
export function firstLines(host: string, accounts: boolean): readonly string[] {
  const account = accounts ? ['create-main-node --keep-phrase', 'create-agent-node Ada --keep-phrase'] : []
  return [...account, 'add-agent Ada --hold'].map((command) => `playctl ${command} --server ${host}`)
}
