// Package redis keeps a world's journal and tables on a Redis server (6.2 or
// later), where several hosts append to them at the same time. One script commits
// a batch, or nothing of it.
//
// The keys of a world, all in one Cluster slot:
//
//	play:{<host id>}:head              hash: place and commit of the last entry, run id of
//	                                   the server that took it, trimmed seq, format, root key
//	play:{<host id>}:local             string: a number as in the head, which replicas do not
//	                                   get: a server whose numbers differ is not the one that
//	                                   took the last commit
//	play:{<host id>}:journal           stream: an entry each, its id is <position>-0
//	play:{<host id>}:rows              hash: the current rows of the map
//	play:{<host id>}:table:<table>     hash: the records
//	play:{<host id>}:order:<table>     sorted set: their keys in order
//	play:{<host id>}:deadlines:<table> sorted set: milliseconds of the server's time
//	play:{<host id>}:terms:<table>     hash: the full terms, in milliseconds
//	play:{<host id>}:checkpoints       hash: position to rev
//	play:{<host id>}:checkpoint:<pos>  list: the parts of an encoded checkpoint
//	play:{<host id>}:fence:<name>      hash: a lock
//	play:{<host id>}:asked             hash: when somebody last asked for what is due
//	play:{<host id>}:hosts             hash: hosts that serve, by id: until when, and the name
//	play:{<host id>}:import            hash: the head of a world that is being imported, which
//	                                   becomes the head when all of it is there
//	play:{<host id>}:messages          channel: messages that are stored nowhere
package redis
