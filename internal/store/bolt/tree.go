package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// A page of bbolt's file, in the byte order of the machine: its id (8 bytes), flags
// (2), the number of its elements (2) and of the pages that follow it (4), then the
// elements, then their keys and values in the same order, without gaps. An element of a branch has the offset (4) and the size (4) of a key and
// the id of a page (8); an element of a leaf has flags, the offset of a key and the
// sizes of the key and its value (4 each). The value of a bucket begins with the id
// of its first page (8) and a number (8), after which a small bucket, whose id is
// 0, has a page of its own.
const (
	headerBytes, elementBytes, bucketBytes = 16, 16, 16

	branchPage, leafPage = 1, 2
	bucketElement        = 1
)

// tree walks the pages of a file by their references, from the first page on. bbolt
// does so without a bound: if pages refer to each other in a cycle, it uses up the
// memory.
type tree struct {
	file            io.ReaderAt
	pageSize, pages uint64
	// used has a bit for each page to which something refers.
	used []byte
	// names are unread pages of the tree of buckets, rest are pages of buckets.
	names, rest []uint64
	// all says whether to read the leaves of buckets, too, which may hold further
	// buckets.
	all bool
	// room is a buffer for a page.
	room []byte
}

// checkTree refuses a file in which two places refer to one page, or one to a page
// outside the file. The leaves of buckets, nearly all pages, are read only if all
// is set.
func checkTree(db *bbolt.DB, path string, all bool) error {
	err := guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if err := whole(tx, path); err != nil {
				return err
			}
			return readTree(tx, path, all)
		})
	})
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	return nil
}

func readTree(tx *bbolt.Tx, path string, all bool) error {
	file, err := os.Open(path) //nolint:gosec // the path is the operator's
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	pageSize := uint64(tx.DB().Info().PageSize)
	pages := uint64(tx.Size()) / pageSize
	t := &tree{file: file, pageSize: pageSize, pages: pages, used: make([]byte, pages/8+1), all: all, room: make([]byte, pageSize)}
	root := uint64(tx.Cursor().Bucket().Root())
	t.names = []uint64{root}
	if err = t.use(root, uint64(tx.ID())%2); err == nil {
		err = t.check()
	}
	return errors.Join(err, file.Close())
}

func (t *tree) check() error {
	for {
		var err error
		switch {
		case len(t.names) > 0:
			err = t.visit(take(&t.names), &t.names, true)
		case len(t.rest) > 0:
			err = t.visit(take(&t.rest), &t.rest, t.all)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func take(from *[]uint64) uint64 {
	last := len(*from) - 1
	id := (*from)[last]
	*from = (*from)[:last]
	return id
}

// visit reads a page, and adds the pages to which it refers to next.
func (t *tree) visit(id uint64, next *[]uint64, leaves bool) error {
	kind, elements, err := t.read(id)
	switch {
	case err != nil:
		return err
	case kind == leafPage && leaves:
		return t.visitLeaf(id, elements)
	case kind != branchPage:
		return nil
	}
	var children []uint64
	for element := range slices.Chunk(elements, elementBytes) {
		child := binary.NativeEndian.Uint64(element[8:])
		if err := t.use(child, id); err != nil {
			return err
		}
		children = append(children, child)
	}
	if !leaves && len(children) > 0 {
		// All of them are leaves, or none is.
		if kind, _, err = t.read(children[0]); err != nil || kind == leafPage {
			return err
		}
	}
	*next = append(*next, children...)
	return nil
}

// visitLeaf adds the first pages of the buckets in a leaf.
func (t *tree) visitLeaf(id uint64, elements []byte) error {
	for i := 0; i < len(elements); i += elementBytes {
		number := func(at int) int64 { return int64(binary.NativeEndian.Uint32(elements[i+at:])) }
		if number(0)&bucketElement == 0 {
			continue
		}
		value := make([]byte, max(bucketBytes, min(number(12), int64(t.pageSize))))
		at := int64(id)*int64(t.pageSize) + headerBytes + int64(i) + number(4) + number(8)
		if _, err := t.file.ReadAt(value, at); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: reading page %d: %w", store.ErrUnavailable, id, err)
		}
		root := binary.NativeEndian.Uint64(value)
		if root == 0 {
			if err := checkSmall(id, value[bucketBytes:]); err != nil {
				return err
			}
			continue
		}
		if err := t.use(root, id); err != nil {
			return err
		}
		t.rest = append(t.rest, root)
	}
	return nil
}

// use records that a page refers to another one.
func (t *tree) use(id, from uint64) error {
	switch {
	case id >= t.pages:
		return damaged("page %d refers to page %d, but the file has %d", from, id, t.pages)
	case t.used[id/8]&(1<<(id%8)) != 0:
		return damaged("page %d refers to page %d, which is used elsewhere", from, id)
	}
	t.used[id/8] |= 1 << (id % 8)
	return nil
}

// checkSmall checks the page of a small bucket, which is a leaf.
func checkSmall(id uint64, page []byte) error {
	if len(page) < headerBytes || binary.NativeEndian.Uint16(page[8:]) != leafPage {
		return damaged("a small bucket in page %d is not a leaf", id)
	}
	end := headerBytes + int(binary.NativeEndian.Uint16(page[10:]))*elementBytes
	if end <= len(page) {
		end = layout(leafPage, page[headerBytes:end])
	}
	if end != len(page) {
		return damaged("the elements of a small bucket in page %d do not follow each other up to its end", id)
	}
	return nil
}

// layout returns where the last value of a page ends, -1 if its keys and values do not
// follow each other.
func layout(kind uint16, elements []byte) int {
	end := headerBytes + len(elements)
	for i := 0; i < len(elements); i += elementBytes {
		number := func(at int) int { return int(binary.NativeEndian.Uint32(elements[i+at:])) }
		place, size := number(0), number(4)
		if kind == leafPage {
			place, size = number(4), number(8)+number(12)
		}
		if headerBytes+i+place != end {
			return -1
		}
		end += size
	}
	return end
}

// read returns the kind of a page, and its elements, valid until the next call.
func (t *tree) read(id uint64) (kind uint16, elements []byte, err error) {
	at := int64(id) * int64(t.pageSize)
	more := uint64(0)
	if _, err = t.file.ReadAt(t.room[:t.pageSize], at); err == nil {
		more = uint64(binary.NativeEndian.Uint32(t.room[12:]))
		kind = binary.NativeEndian.Uint16(t.room[8:])
		length := headerBytes + int(binary.NativeEndian.Uint16(t.room[10:]))*elementBytes
		if length > len(t.room) {
			t.room = make([]byte, length)
		}
		if elements = t.room[headerBytes:length]; uint64(length) > t.pageSize {
			_, err = t.file.ReadAt(elements, at+headerBytes)
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return 0, nil, damaged("page %d ends past the end of the file", id)
	case err != nil:
		return 0, nil, fmt.Errorf("%w: reading page %d: %w", store.ErrUnavailable, id, err)
	case kind != branchPage && kind != leafPage:
		return 0, nil, damaged("page %d is of the unknown kind %d", id, kind)
	}
	if end := layout(kind, elements); end < 0 || (uint64(end)+t.pageSize-1)/t.pageSize != more+1 {
		return 0, nil, damaged("the elements of page %d do not follow each other up to its end", id)
	}
	return kind, elements, nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: its pages cannot be read: %s; restore a backup, or move the file away", store.ErrCorrupt, fmt.Sprintf(format, args...))
}
