package creds

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// rootFileLimit is far above 64 digits with any white space around them.
const rootFileLimit = 4096

// secretFileLimit bounds the secret from which a root key is derived.
const secretFileLimit = 1 << 20

// ErrNoRootFile is returned when no root key file was named and none is in the
// usual places.
var ErrNoRootFile = errors.New("no root key file")

// ErrRootFileMissing is returned for a named root key file that does not exist. It
// matches fs.ErrNotExist too.
var ErrRootFileMissing = fmt.Errorf("there is no root key file of that name: %w", fs.ErrNotExist)

// ErrRootFileExists is returned by WriteRootFile instead of overwriting a file. It
// matches fs.ErrExist too.
var ErrRootFileExists = fmt.Errorf("a root key file already exists: %w", fs.ErrExist)

// RootFile is a root key and the place where it was found.
type RootFile struct {
	// Key is the root key: 64 lower-case hex digits.
	Key string
	// Path is the file it was read from.
	Path string
}

// rootPlace is one place to look for a root key file.
type rootPlace struct {
	path string
	// source is what named the file, "" for a place where files are looked for
	// by default.
	source string
}

// DefaultRootFile returns the path of a user's own root key file,
// ~/.playctl/root.
func (e Environment) DefaultRootFile() (string, error) {
	if e.Home == "" {
		return "", fmt.Errorf("%w for the root key file: set one with --root-file or %s", ErrNoHome, EnvRootFile)
	}
	return filepath.Join(e.Home, ".playctl", "root"), nil
}

// NamesRootFile reports whether --root-file (flag, "" if not given) or
// PLAYCTL_ROOT_FILE names a root key file.
func (e Environment) NamesRootFile(flag string) bool {
	return flag != "" || e.lookup(EnvRootFile) != ""
}

// FindRootFile reads the first root key file of: the value of --root-file (flag, ""
// if not given), PLAYCTL_ROOT_FILE, ~/.playctl/root, ./.root. A named file must
// exist, else the error is ErrRootFileMissing; an existing one must be valid: an
// invalid file is a *FileError, never skipped. If there is no file at all, the
// error is ErrNoRootFile.
func (e Environment) FindRootFile(flag string) (RootFile, error) {
	var tried []string
	for _, place := range e.rootPlaces(flag) {
		key, err := ReadRootFile(place.path)
		if err == nil {
			return RootFile{Key: key, Path: place.path}, nil
		}
		if place.source != "" && errors.Is(err, fs.ErrNotExist) {
			return RootFile{}, fmt.Errorf("%s: %s: %w", place.source, place.path, ErrRootFileMissing)
		}
		if place.source != "" {
			return RootFile{}, fmt.Errorf("root key file of %s: %w", place.source, err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return RootFile{}, fmt.Errorf("root key file: %w", err)
		}
		tried = append(tried, place.path)
	}
	return RootFile{}, fmt.Errorf("%w: looked for %s; create one with \"playctl create-root-key\", or set one with --root-file or %s",
		ErrNoRootFile, strings.Join(tried, " and "), EnvRootFile)
}

func (e Environment) rootPlaces(flag string) []rootPlace {
	if flag != "" {
		return []rootPlace{{path: e.absolute(flag), source: "--root-file"}}
	}
	if path := e.lookup(EnvRootFile); path != "" {
		return []rootPlace{{path: e.absolute(path), source: EnvRootFile}}
	}
	var places []rootPlace
	if path, err := e.DefaultRootFile(); err == nil {
		places = append(places, rootPlace{path: path})
	}
	return append(places, rootPlace{path: filepath.Join(e.Dir, ".root")})
}

// ReadRootFile reads the root key of the file at path. The error is a *FileError;
// it matches fs.ErrNotExist if there is no file.
func ReadRootFile(path string) (string, error) {
	data, err := readText(path, rootFileLimit)
	if err != nil {
		return "", err
	}
	return ParseRootFile(path, data)
}

// ParseRootFile returns the root key of a file's content: 64 hex digits in any
// case, with white space around them. path is only for the *FileError.
func ParseRootFile(path string, data []byte) (string, error) {
	text := string(data)
	digits := protocol.TrimSpace(text)
	start := int64(strings.Index(text, digits))
	if digits == "" {
		return "", &FileError{Path: path, Line: 1, Problem: "it is empty, but a root key file must hold 64 hex digits"}
	}
	if other := strings.IndexFunc(digits, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); other >= 0 {
		line, column := position(data, start+int64(other))
		return "", &FileError{Path: path, Line: line, Column: column,
			Problem: "a root key file holds 64 hex digits and nothing else, but this one has another character"}
	}
	if len(digits) != hexDigits {
		line, _ := position(data, start)
		return "", &FileError{Path: path, Line: line,
			Problem: fmt.Sprintf("a root key file holds 64 hex digits, but this one has %d", len(digits))}
	}
	return strings.ToLower(digits), nil
}

// ReadRootSecret reads the secret from which a root key is derived: all bytes of
// the file unchanged, including a final line break.
func ReadRootSecret(path string) ([]byte, error) {
	data, err := readLimited(path, secretFileLimit)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, &FileError{Path: path, Problem: "it is empty, but a root key needs a secret of at least one byte", Err: ErrSecretEmpty}
	}
	return data, nil
}

// WriteRootFile writes key, which must be 64 hex digits, to a file of mode 0600 at
// path, atomically, and creates the folder if it is missing. If the file exists,
// the error is ErrRootFileExists, unless overwrite is true. A lost root key cannot
// be recovered, and every node id of its world depends on it.
func WriteRootFile(path, key string, overwrite bool) error {
	key = protocol.NormalizeRootKey(key)
	if !protocol.ValidHex64(key) {
		return &FileError{Path: path, Problem: "nothing was written: a root key file holds exactly 64 hex digits"}
	}
	if err := os.MkdirAll(filepath.Dir(path), secretDirMode); err != nil {
		return fmt.Errorf("create the folder of the root key file: %w", err)
	}
	err := WriteSecretFile(path, []byte(key+"\n"), overwrite)
	if errors.Is(err, fs.ErrExist) {
		return &FileError{Path: path, Problem: "a root key file already exists; overwriting it makes every node of its world invalid, so that takes --force", Err: ErrRootFileExists}
	}
	return err
}
