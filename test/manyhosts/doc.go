// Package manyhosts holds no code: its tests let three real hosts serve one world
// on a real Redis, send random commands to whichever host, kill hosts and Redis,
// cut their connections, and look whether every host, every client and every
// subscriber received the same, and nothing that was not so.
package manyhosts
