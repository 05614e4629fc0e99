//go:build !linux

package host

import "net"

// boundSendQueue does nothing: the system decides how much it keeps for each connection.
func boundSendQueue(net.Conn) {}
