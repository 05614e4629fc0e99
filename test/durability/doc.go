// Package durability holds no code: its tests kill a real host again and again
// while it is written to, and look whether it kept its word. A write that was
// acknowledged must be there after every restart, once and in its order.
package durability
