package redis

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Address is the address of a Redis server.
type Address struct {
	// Hosts are host:port each, or the path of a unix socket if Unix is set.
	Hosts []string
	// Unix reports whether the server is reached over a unix socket.
	Unix bool
	// TLS reports whether connections are encrypted.
	TLS bool
	// Master is the name under which Sentinels know the server; empty for none.
	Master string
	// Cluster reports whether the hosts are nodes of a Cluster.
	Cluster bool
	// DB is the number of the database.
	DB int
	// Username and Password are those in the address.
	Username, Password string
}

// ErrAddress means that a text is not the address of a Redis server.
var ErrAddress = errors.New("not the address of a Redis server")

// ParseAddress parses an address of one of the forms
//
//	redis://host:port/db            rediss://… with TLS
//	redis+unix:///path?db=n
//	redis+sentinel://host,host/master?db=n      rediss+sentinel://…
//	redis+cluster://host,host                   rediss+cluster://…
//
// with "user:password@" before the hosts if needed. Its errors do not repeat the
// text, which may hold a password.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Fragment != "" {
		return Address{}, fmt.Errorf("%w: write redis://host:port or one of its forms", ErrAddress)
	}
	scheme, form, _ := strings.Cut(u.Scheme, "+")
	if scheme != "redis" && scheme != "rediss" {
		return Address{}, fmt.Errorf("%w: it starts with %q, neither redis nor rediss", ErrAddress, u.Scheme)
	}
	a := Address{TLS: scheme == "rediss", Username: u.User.Username()}
	a.Password, _ = u.User.Password()
	db := u.Query().Get("db")
	path := strings.TrimPrefix(u.Path, "/")
	if form == "" && path != "" {
		db = path
	}
	a, err = a.take(form, u, path, db)
	if err != nil {
		return Address{}, err
	}
	return a.complete(u.Host, db)
}

// take adds the parts of an address that depend on its form: the meaning of its
// path, and the allowed parts.
func (a Address) take(form string, u *url.URL, path, db string) (Address, error) {
	switch form {
	case "":
	case "unix":
		if path == "" || u.Host != "" || a.TLS {
			return Address{}, fmt.Errorf("%w: a unix socket is redis+unix:///path", ErrAddress)
		}
		a.Unix, a.Hosts = true, []string{u.Path}
	case "sentinel":
		if path == "" {
			return Address{}, fmt.Errorf("%w: name the master after the Sentinels, as in redis+sentinel://host:26379/master", ErrAddress)
		}
		a.Master = path
	case "cluster":
		if path != "" || db != "" {
			return Address{}, fmt.Errorf("%w: a Cluster has one database, number 0; leave it out", ErrAddress)
		}
		a.Cluster = true
	default:
		return Address{}, fmt.Errorf("%w: the form %q must be unix, sentinel or cluster", ErrAddress, form)
	}
	return a, nil
}

// complete adds the hosts and the number of the database.
func (a Address) complete(hosts, db string) (Address, error) {
	if db != "" {
		n, err := strconv.ParseUint(db, 10, 16)
		if err != nil {
			return Address{}, fmt.Errorf("%w: a database is a number", ErrAddress)
		}
		a.DB = int(n)
	}
	if a.Unix {
		return a, nil
	}
	port := "6379"
	if a.Master != "" {
		port = "26379"
	}
	for host := range strings.SplitSeq(hosts, ",") {
		full, err := withPort(host, port)
		if err != nil {
			return Address{}, err
		}
		a.Hosts = append(a.Hosts, full)
	}
	if len(a.Hosts) > 1 && a.Master == "" && !a.Cluster {
		return Address{}, fmt.Errorf("%w: several hosts are Sentinels (redis+sentinel:) or a Cluster (redis+cluster:)", ErrAddress)
	}
	return a, nil
}

func withPort(host, port string) (string, error) {
	name, given, err := net.SplitHostPort(host)
	if err != nil {
		name, given = strings.Trim(host, "[]"), port
	}
	n, err := strconv.ParseUint(given, 10, 16)
	if name == "" || err != nil || n == 0 {
		return "", fmt.Errorf("%w: each host is host:port", ErrAddress)
	}
	return net.JoinHostPort(name, given), nil
}

// String returns the address for people, without credentials.
func (a Address) String() string {
	scheme := "redis"
	if a.TLS {
		scheme = "rediss"
	}
	hosts := strings.Join(a.Hosts, ",")
	switch {
	case a.Unix:
		return "redis+unix://" + hosts
	case a.Master != "":
		return scheme + "+sentinel://" + hosts + "/" + a.Master
	case a.Cluster:
		return scheme + "+cluster://" + hosts
	}
	return scheme + "://" + hosts + "/" + strconv.Itoa(a.DB)
}
