package redistest

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
)

// slots is the number of slots of a Cluster.
const slots = 16384

// Cluster starts a Cluster of n masters, each with its part of the slots.
func Cluster(t testing.TB, n int) []*Server {
	t.Helper()
	nodes := make([]*Server, n)
	for i := range nodes {
		nodes[i] = Start(t, "--cluster-enabled", "yes")
		nodes[i].Do("cluster", "set-config-epoch", i+1)
		nodes[i].Do("cluster", "addslotsrange", i*slots/n, (i+1)*slots/n-1)
	}
	for _, node := range nodes[1:] {
		host, port, _ := net.SplitHostPort(nodes[0].Addr)
		node.Do("cluster", "meet", host, port, nodes[0].bus)
	}
	for _, node := range nodes {
		wait(t, "a Cluster that is whole", func() bool {
			text := fmt.Sprint(node.Do("cluster", "info"))
			return strings.Contains(text, "cluster_state:ok") && strings.Contains(text, fmt.Sprint("cluster_known_nodes:", n))
		})
	}
	return nodes
}

// UntilCluster waits until the node serves its slots, for 20 s at most.
func (s *Server) UntilCluster() {
	s.t.Helper()
	wait(s.t, "a Cluster that is whole", func() bool {
		return strings.Contains(fmt.Sprint(s.Do("cluster", "info")), "cluster_state:ok")
	})
}

// Move moves the slot of a key to a node, key by key, as during the resharding of a
// Cluster, unless it is already there. between is called before each key.
func Move(nodes []*Server, key string, to *Server, between func()) {
	slot := to.Do("cluster", "keyslot", key)
	from := nodes[slices.IndexFunc(nodes, func(s *Server) bool { return s.owns(slot) })]
	if from == to {
		return
	}
	toID, fromID := to.Do("cluster", "myid"), from.Do("cluster", "myid")
	to.Do("cluster", "setslot", slot, "importing", fromID)
	from.Do("cluster", "setslot", slot, "migrating", toID)
	host, port, _ := net.SplitHostPort(to.Addr)
	for {
		keys, _ := from.Do("cluster", "getkeysinslot", slot, 1).([]any)
		if len(keys) == 0 {
			break
		}
		between()
		from.Do("migrate", host, port, "", 0, 5000, "keys", keys[0])
	}
	between()
	for _, node := range slices.Concat([]*Server{to, from}, nodes) {
		node.Do("cluster", "setslot", slot, "node", toID)
	}
}

// owns reports whether a slot is served by the node.
func (s *Server) owns(slot any) bool {
	ranges, _ := s.Do("cluster", "slots").([]any)
	own := fmt.Sprint(s.Do("cluster", "myid"))
	for _, one := range ranges {
		parts, _ := one.([]any)
		first, _ := parts[0].(int64)
		last, _ := parts[1].(int64)
		at, _ := slot.(int64)
		if at >= first && at <= last && strings.Contains(fmt.Sprint(parts[2]), own) {
			return true
		}
	}
	return false
}
