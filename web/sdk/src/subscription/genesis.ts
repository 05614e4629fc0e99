import type { WorldCopy } from '../chain/copy.js'
import { PLAYER_CHAIN_GENESIS_STABLE_KEY } from '../chain/keys.js'
import { ChainError } from '../chain/row.js'
import type { WorldClient } from '../http/client.js'
import type { CallOptions } from '../http/options.js'

/** Returns a copy with the host's own genesis text. On hosts of the agent-play service the snapshot states a different text. */
export async function withGenesis(client: WorldClient, copy: WorldCopy, call?: CallOptions): Promise<WorldCopy> {
  if (client.transport.service === 'play') return copy
  const { node } = await client.playerChainNode(PLAYER_CHAIN_GENESIS_STABLE_KEY, call)
  if (node.kind !== 'genesis') throw new ChainError('the host answers with another node than the genesis')
  return copy.withGenesis(node.text)
}
