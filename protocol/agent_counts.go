package protocol

// AgentCounts is the reply of countAgents: how many agents are on the map, and how many of
// them are in each state. An agent whose row says nothing is in none.
type AgentCounts struct {
	// Agents are all agents on the map.
	Agents int `json:"agents"`
	// Working are the agents at work.
	Working int `json:"working,omitzero"`
	// Waiting are the agents that wait for a person.
	Waiting int `json:"waiting,omitzero"`
	// Idle are the agents that have nothing to do.
	Idle int `json:"idle,omitzero"`
	// Done are the agents that finished what they were asked.
	Done int `json:"done,omitzero"`
	// Failed are the agents that could not do what they were asked.
	Failed int `json:"failed,omitzero"`
}

// Add counts one more agent, in a state or, if the state is empty or unknown, in none.
func (c *AgentCounts) Add(state string) {
	c.Agents++
	switch state {
	case ActivityWorking:
		c.Working++
	case ActivityWaiting:
		c.Waiting++
	case ActivityIdle:
		c.Idle++
	case ActivityDone:
		c.Done++
	case ActivityFailed:
		c.Failed++
	}
}
