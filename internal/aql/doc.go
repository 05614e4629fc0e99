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
// Parse makes a Program of a text, Check finds what cannot work before anything is
// done, Format prints it and Complete offers what could follow. Nothing here runs a
// program: the command that does knows the host, the terminal and the files.
//
// A value that comes from the environment, a file or a question, and the phrase of
// a space that was just made, is a secret: it serves as a passphrase and for nothing
// else.
package aql
