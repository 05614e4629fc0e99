//go:build !linux

package host

import "net"

// boundSendQueue leaves it to the system how much it keeps for each connection.
func boundSendQueue(net.Conn) {}
