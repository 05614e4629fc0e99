// Package livecopy holds no code: in its tests subscribers of the SDK follow a real
// host over real connections, which break at any byte, lag and stall, while the
// host restarts on its store. In every case each subscriber ends with the host's
// exact map and has seen every event once and in order.
package livecopy
