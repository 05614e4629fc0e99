// Package backup writes a world into a file that can be carried elsewhere, and
// makes a world of such a file again.
//
// A backup begins with two lines of text, a magic word with the format's version
// and a JSON object that says what is inside. Frames follow: a type byte, the
// payload's length as a varint, the payload. There is one frame with the map
// (store.AppendState), then frames with records (store.AppendEntry of an entry
// that has nothing else), then one with the SHA-256 of every byte before it, and
// nothing after that. It does not depend on the backend that it was made from.
package backup
