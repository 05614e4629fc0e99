package redis

import "slices"

// commands are what a host sends, itself or from a script; names as of ACL SETUSER.
var commands = []string{
	"config|get", "copy", "del", "eval", "evalsha", "exec", "exists", "expire", "get", "hdel", "hello", "hexists", "hget", "hgetall",
	"hkeys", "hmget", "hset", "info", "lrange", "multi", "persist", "publish", "pubsub|numsub", "rename", "rpush", "set", "subscribe", "time",
	"unlink", "xadd", "xdel", "xrange", "xread", "xrevrange", "zadd", "zrange", "zrangebyscore", "zrem", "zscore",
}

// clusterCommands are what it sends to nodes of a Cluster besides.
var clusterCommands = []string{"cluster|slots", "command"}

// Rules returns the ACL rules that the user of a world's hosts needs, and no more:
// its keys, its channels, the commands. With cluster they are those for nodes of a
// Cluster. A password is to be added. Without "config|get" a host does not learn
// that a server syncs every write, and takes each restart for one that lost some.
func Rules(hostID string, cluster bool) []string {
	rules := []string{
		"resetkeys", "~play:{" + hostID + "}:*",
		"resetchannels", "&play:{" + hostID + "}:messages", "&play:" + hostID + ":world:events", "&agent-play:" + hostID + ":world:events",
		"-@all",
	}
	allowed := commands
	if cluster {
		allowed = slices.Concat(commands, clusterCommands)
	}
	for _, command := range allowed {
		rules = append(rules, "+"+command)
	}
	return rules
}
