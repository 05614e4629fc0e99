package command

import "testing"

func TestIsLoopbackURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://localhost:7420":     true,
		"https://LocalHost/town":    true,
		"http://127.0.0.1:7420":     true,
		"http://[::1]:7420":         true,
		"http://0.0.0.0:7420":       true,
		"http://[::]:7420":          true,
		"http://localhost.example":  false,
		"http://192.0.2.1:7420":     false,
		"localhost:7420":            false,
		"http://localhost@evil.org": false,
		"":                          false,
	} {
		if got := IsLoopbackURL(address); got != want {
			t.Errorf("IsLoopbackURL(%q) = %v, want %v", address, got, want)
		}
	}
}

func TestNamesThisMachine(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost":      true,
		"LOCALHOST:80":   true,
		"127.0.0.1:7420": true,
		"[::1]":          true,
		"[::1]:80":       true,
		"Box.Local:80":   true,
		"":               false,
		"0.0.0.0:80":     false,
		"[::]:80":        false,
		"localhost.evil": false,
	} {
		if got := NamesThisMachine(host, []string{"box.local"}); got != want {
			t.Errorf("NamesThisMachine(%q) = %v, want %v", host, got, want)
		}
	}
}
