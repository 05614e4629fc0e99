/** A row that may name the agent that started it. */
export interface Kin {
  readonly kind: string
  readonly nodeId?: string
  readonly agentId?: string
  readonly parentId?: string
}

/**
 * Returns the parent of each row that has one among the rows. Only a row of the same node is a
 * parent, and rows that would be their own ancestors have none.
 */
export function parentsOf<Row extends Kin>(rows: Iterable<Row>): ReadonlyMap<Row, Row> {
  const agents = new Map<string, Row>()
  for (const row of rows) if (row.kind === 'agent') agents.set(`${row.nodeId ?? ''}:${row.agentId ?? ''}`, row)
  const above = (row: Row): Row | undefined => row.parentId === undefined ? undefined : agents.get(`${row.nodeId ?? ''}:${row.parentId}`)
  const parents = new Map<Row, Row>()
  const settled = new Set<Row>()
  for (const row of agents.values()) {
    const way = new Set<Row>()
    let at: Row | undefined = row
    while (at !== undefined && !settled.has(at) && !way.has(at)) {
      way.add(at)
      at = above(at)
    }
    // The way leads to a row without a parent, to a settled one, or to one on itself: from there on it is a cycle.
    let cyclic = false
    for (const one of way) {
      cyclic ||= one === at
      const parent = above(one)
      if (!cyclic && parent !== undefined) parents.set(one, parent)
      settled.add(one)
    }
  }
  return parents
}
