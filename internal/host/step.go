package host

// step is one check of a request. It may answer the request itself, as a
// repeated one is; the steps after it are then left out.
type step func(*call) error

// usualOrder is the order of section 4 of the protocol. What follows plan, the
// caller's kind, is the host's part of ownership; the rest of it and the state
// are the engine's, within the action.
func usualOrder() []step {
	return []step{
		readBody, authenticate, refreshNodes, findRepeat, awaitRev, checkSession,
		parseObject, checkAPIKey, planBody, checkKind, act,
	}
}

// creationOrder is that of a route where the body says whether credentials are
// needed, and holds those that count.
func creationOrder() []step {
	return []step{readBody, parseObject, authenticateCreator, planBody, findRepeat, awaitRev, checkKind, act}
}

// rpcOrder is that of the rpc route, whose rules are the operation's.
func rpcOrder() []step {
	return []step{
		readBody, authenticate, parseObject, selectOperation, findRepeat, awaitRev, checkSession,
		checkAPIKey, planBody, checkKind, act,
	}
}

// planBody reads the body and keeps what is to be done.
func planBody(c *call) error {
	next, err := c.rules.plan(c)
	c.next = next
	return err
}

func act(c *call) error { return c.next(c) }
