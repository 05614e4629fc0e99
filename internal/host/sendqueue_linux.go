package host

import (
	"net"
	"syscall"
)

// maxUnsent is how many unsent bytes of one connection the system keeps. Its
// default is megabytes for each client that does not read.
const maxUnsent = 64 << 10

// tcpNotsentLowat is TCP_NOTSENT_LOWAT of linux/tcp.h, which syscall lacks.
const tcpNotsentLowat = 25

// boundSendQueue limits a connection to maxUnsent. Bytes that were sent and not
// acknowledged do not count, so the limit costs no throughput.
func boundSendQueue(conn net.Conn) {
	tcp, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	// A system without this option keeps its default.
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotsentLowat, maxUnsent)
	})
}
