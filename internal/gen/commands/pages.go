package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/playctl/playctl/internal/command/tree"
)

// pages adds the reference page of each command and help topic, and the manual page of
// each command.
func pages(root *cobra.Command, files map[string][]byte) error {
	var failed error
	tree.Each(root, func(cmd *cobra.Command) {
		cmd.DisableAutoGenTag = true
		path := cmd.CommandPath()
		var page, manual bytes.Buffer
		if cmd.IsAdditionalHelpTopicCommand() {
			fmt.Fprintf(&page, "## %s\n\n%s\n\n```\n%s\n```\n", path, cmd.Short, cmd.Long)
		} else if err := doc.GenMarkdown(cmd, &page); err != nil {
			failed = fmt.Errorf("generate the page of %q: %w", path, err)
		}
		if err := doc.GenMan(cmd, manualHeader(path), &manual); err != nil {
			failed = fmt.Errorf("generate the manual page of %q: %w", path, err)
		}
		files[referenceFolder+"/"+pageName(path)] = page.Bytes()
		// A manual page has no date, which would change every month.
		text := strings.Replace(manual.String(), new(time.Time).Format("Jan 2006"), "", 1)
		files[manualFolder+"/"+strings.ReplaceAll(path, " ", "-")+".1"] = []byte(text)
	})
	return failed
}

func pageName(path string) string { return strings.ReplaceAll(path, " ", "_") + ".md" }

func manualHeader(path string) *doc.GenManHeader {
	return &doc.GenManHeader{
		Title: strings.ToUpper(strings.ReplaceAll(path, " ", "-")), Section: "1", Source: "playctl", Manual: "playctl", Date: new(time.Time),
	}
}

// index returns the list of all pages of the reference.
func index(root *cobra.Command) []byte {
	var page bytes.Buffer
	page.WriteString("# Commands\n\nThis folder is generated from what the commands say of themselves: `go generate ./cmd/playctl`.\n\n" +
		"[The fields of results](fields.md) are what commands print as JSON.\n")
	section := func(title string, belongs func(*cobra.Command) bool) {
		fmt.Fprintf(&page, "\n## %s\n\n", title)
		for _, cmd := range root.Commands() {
			if !belongs(cmd) {
				continue
			}
			line(&page, cmd, "")
			for _, sub := range cmd.Commands() {
				line(&page, sub, "  ")
			}
		}
	}
	for _, group := range root.Groups() {
		section(strings.TrimSuffix(group.Title, ":"), func(cmd *cobra.Command) bool { return cmd.GroupID == group.ID })
	}
	section("Topics", (*cobra.Command).IsAdditionalHelpTopicCommand)
	return page.Bytes()
}

func line(page *bytes.Buffer, cmd *cobra.Command, indent string) {
	path := cmd.CommandPath()
	fmt.Fprintf(page, "%s- [%s](%s): %s\n", indent, path, pageName(path), cmd.Short)
}
