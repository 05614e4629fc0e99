// Package aql is a small line-oriented language for authoring a world and
// looking at it. A program is a list of statements, one on a line:
//
//	CONNECT
//	LET owner = "Ada"
//	CREATE SPACE "Corner shop" DESIGN "bazaar" OWNER $owner INTO shop
//	USE SPACE NODE $shop.nodeId PASSPHRASE $shop.phrase
//	ADD SPACE AMENITY car_wash
//	FETCH OCCUPANTS
//
// A program goes through three steps, and each is pure but the last: Parse makes
// a Program of a text, Check finds what cannot work before anything is done, and
// an Interpreter carries the statements out. The interpreter knows the world
// through Caller, which a client of a host is, and everything else (the
// environment, files, a person to ask) through Environment.
//
// A value that comes from the environment, a file or a question, and the phrase
// of a space that was just made, is a secret: it serves as a passphrase and for
// nothing else, and shows as "[secret]".
package aql
