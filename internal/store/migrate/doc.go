// Package migrate copies a world from one store into another: entries, tables,
// checkpoint and cursors as they are, so that clients go on where they were. The
// copy is read back and proved before it becomes the other store's world.
package migrate
