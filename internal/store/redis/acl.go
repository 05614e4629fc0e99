package redis

import "slices"

// commands are the commands of a host, sent by itself or from a script; names as of
// ACL SETUSER.
var commands = []string{
	"config|get", "copy", "del", "eval", "evalsha", "exec", "exists", "expire", "get", "hdel", "hello", "hexists", "hget", "hgetall",
	"hkeys", "hmget", "hset", "info", "lrange", "multi", "persist", "publish", "pubsub|numsub", "rename", "rpush", "set", "subscribe", "time",
	"unlink", "xadd", "xdel", "xrange", "xread", "xrevrange", "zadd", "zrange", "zrangebyscore", "zrem", "zscore",
}

// clusterCommands are further commands that it sends to nodes of a Cluster.
var clusterCommands = []string{"cluster|slots", "command"}

// Rules returns the least ACL rules for the user of a world's hosts: its keys, its
// channels, the commands. With cluster they are the rules for nodes of a Cluster.
// The caller adds a password. Without "config|get" a host cannot find out that a
// server syncs every write, and treats each restart as one that lost data.
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
