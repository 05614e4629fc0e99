package aql

import (
	"testing"

	"github.com/playctl/playctl/test/jsonfields"
)

func TestJSONFields(t *testing.T) {
	t.Parallel()
	jsonfields.Check(t, map[string]any{
		"aql":                                item{},
		"aql --format":                       formattedProgramResult{},
		"aql; the result of CREATE SPACE":    created{},
		"aql; the result of REMOVE SPACE":    removed{},
		"aql; the result of SEND":            sent{},
		"aql; the result of INSPECT AGENT":   inspectedAgent{},
		"aql; the result of FETCH METADATA":  metadata{},
		"aql; the result of SHOW AGENTS":     agentList{},
		"aql; the result of SHOW CONNECTION": connection{},
		"aql; a line of SHOW VARIABLES":      variable{},
	})
}
