package store

import (
	"testing"

	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/internal/store/migrate"
	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"store check":                 checkResult{},
		"store compact":               compactResult{},
		"store backup, store restore": backupResult{Info: backup.Info{}},
		"store migrate":               migrateResult{Report: migrate.Report{}},
		"store acl":                   aclResult{},
	})
}
