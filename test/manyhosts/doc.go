// Package manyhosts holds no code: in its tests three real hosts serve one world on
// a real Redis server. The tests send random commands to any host, kill hosts and Redis,
// cut their connections, and check that every host, every client and every
// subscriber received the same, and nothing that did not happen.
package manyhosts
