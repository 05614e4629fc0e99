package main

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/playctl/playctl/test/redistest"
)

// servers are the servers that a script started beside hosts.
type servers struct {
	// t is the script's own: everything that is started with it ends with the script.
	t testing.TB
	// redis is the last server that was started, channels has the messages published on it.
	redis    *redistest.Server
	channels *channels
}

// serversKey is the key of a script's servers.
type serversKey struct{}

func serversOf(ts *testscript.TestScript) *servers {
	return ts.Value(serversKey{}).(*servers)
}

// runRedis starts a real redis-server on a free port that syncs each write, and sets
// $REDIS to its address, and $REDIS_ADDRESS to the address without the scheme; with a
// name before the flags it sets variables of that name. The server ends with the script.
// The last server that was started can be killed, as by a power failure, and started
// again with its data.
//
//	redis [name:] [flags of redis-server]
//	redis kill
//	redis restart
//	redis do <command> [arguments]
func runRedis(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("redis cannot be negated")
	}
	around := serversOf(ts)
	switch {
	case len(args) == 1 && args[0] == "kill":
		around.redis.Kill()
		return
	case len(args) == 1 && args[0] == "restart":
		around.redis.Restart()
		return
	}
	if len(args) > 1 && args[0] == "do" {
		command := make([]any, len(args)-1)
		for i, word := range args[1:] {
			command[i] = word
		}
		around.redis.Do(command...)
		return
	}
	name, flags := hostName(args)
	if name == "host" {
		name = "redis"
	}
	around.redis = redistest.Start(around.t, append(redistest.AOF("always"), flags...)...)
	ts.Setenv(strings.ToUpper(name), around.redis.URL())
	ts.Setenv(strings.ToUpper(name)+"_ADDRESS", around.redis.Addr)
}

// channels has the messages published on the channels of a Redis server.
type channels struct {
	mu       sync.Mutex
	messages map[string][]string
	// arrived receives a token for each message.
	arrived chan struct{}
}

// listen receives the messages of all channels of a Redis server until the script ends.
func (s *servers) listen(ts *testscript.TestScript) *channels {
	client := goredis.NewClient(&goredis.Options{Addr: s.redis.Addr, DisableIdentity: true})
	subscription := client.PSubscribe(context.Background(), "*:world:events")
	if _, err := subscription.Receive(context.Background()); err != nil {
		ts.Fatalf("subscribe: %v", err)
	}
	c := &channels{messages: map[string][]string{}, arrived: make(chan struct{}, 1)}
	var listening sync.WaitGroup
	listening.Go(func() {
		for message := range subscription.Channel() {
			c.mu.Lock()
			c.messages[message.Channel] = append(c.messages[message.Channel], message.Payload)
			c.mu.Unlock()
			select {
			case c.arrived <- struct{}{}:
			default:
			}
		}
	})
	s.t.Cleanup(func() {
		_ = subscription.Close()
		_ = client.Close()
		listening.Wait()
	})
	return c
}

// published waits until a number of matching messages were published on a channel, and
// fails if there are more, counted from the first call in the script.
//
//	published                                       (begins to listen)
//	published play:default:world:events 1 'world:player_added'
func published(ts *testscript.TestScript, neg bool, args []string) {
	around := serversOf(ts)
	if len(args) == 0 && !neg {
		around.channels = around.listen(ts)
		return
	}
	c := around.channels
	if neg || len(args) != 3 || c == nil {
		ts.Fatalf("usage: published, then published <channel> <times> <regular expression>")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	pattern := regexp.MustCompile(args[2])
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		got := c.count(args[0], pattern)
		if got == want {
			return
		}
		select {
		case <-c.arrived:
		case <-limit.C:
			ts.Fatalf("%q was published %d times on %s, want %d", args[2], got, args[0], want)
		}
	}
}

func (c *channels) count(channel string, pattern *regexp.Regexp) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, message := range c.messages[channel] {
		if pattern.MatchString(message) {
			n++
		}
	}
	return n
}
