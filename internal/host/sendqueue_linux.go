package host

import (
	"net"
	"syscall"
)

// maxUnsent is how many bytes of one connection the system keeps that it could not
// send yet. By itself it keeps megabytes for each client that does not read.
const maxUnsent = 64 << 10

// tcpNotsentLowat is TCP_NOTSENT_LOWAT of linux/tcp.h, which syscall lacks.
const tcpNotsentLowat = 25

// boundSendQueue makes a connection keep to maxUnsent. What was sent and not
// acknowledged does not count, so that it costs no speed.
func boundSendQueue(conn net.Conn) {
	tcp, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	// One that knows no such option goes without.
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotsentLowat, maxUnsent)
	})
}
