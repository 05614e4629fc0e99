package command

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groupOf marks flags that the help lists under a separate title.
const groupOf = "playctl_group"

// GroupFlags adds the flags that are in no group yet to a group with a title. Groups are
// listed in the order of their creation.
func GroupFlags(flags *pflag.FlagSet, title string) {
	made := map[string]bool{}
	flags.VisitAll(func(flag *pflag.Flag) {
		if group := flag.Annotations[groupOf]; group != nil {
			made[group[0]] = true
		}
	})
	group := []string{fmt.Sprintf("%02d%s", len(made), title)}
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[groupOf] == nil {
			if err := flags.SetAnnotation(flag.Name, groupOf, group); err != nil {
				panic("playctl: " + err.Error())
			}
		}
	})
}

// FlagGroup returns the title of the group in which the help lists a flag; "" for none.
func FlagGroup(flag *pflag.Flag) string {
	if group := flag.Annotations[groupOf]; group != nil {
		return group[0][2:]
	}
	return ""
}

// helpWidth is the width of the help if the output is not a terminal.
const helpWidth = 80

// setHelp sets the help of all commands: wrapped between words, with the flags in their
// groups.
func (a *App) setHelp(root *cobra.Command) {
	width := func(out io.Writer) int {
		if wide, _ := SizeOf(out); wide > 0 {
			return min(wide, helpWidth*3/2)
		}
		return helpWidth
	}
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		out := cmd.OutOrStderr()
		return writeHelp(out, usage(cmd, width(out)))
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		text := Reflow(cmp.Or(cmd.Long, cmd.Short), width(out)) + "\n"
		if cmd.Runnable() || cmd.HasSubCommands() {
			text += "\n" + usage(cmd, width(out))
		}
		// Cobra cannot report that the help could not be written: Run does.
		a.unwritten = writeHelp(out, text)
	})
}

func writeHelp(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("print the help: %w", err)
	}
	return nil
}

// Wrap wraps a text between words, never at the hyphens of flags.
func Wrap(text string, width int) string {
	const hyphen = "\u2011" // a hyphen without a line break
	return strings.ReplaceAll(ansi.Wordwrap(strings.ReplaceAll(text, "-", hyphen), width, " "), hyphen, "-")
}

// columns finds the second column of an indented line.
var columns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ +\S+(?: \S+)* {2,}`)
})

// indented wraps the second column of a line of two columns, such as a row of a table, or
// a line that only begins with spaces.
func indented(line string, width int) string {
	first := columns().FindString(line)
	indent := ansi.StringWidth(first)
	if first == "" {
		first = line[:len(line)-len(strings.TrimLeft(line, " "))]
		indent = len(first) + 2
	}
	if ansi.StringWidth(line) <= width || indent > width/2 {
		return line
	}
	return first + strings.ReplaceAll(Wrap(line[len(first):], width-indent), "\n", "\n"+strings.Repeat(" ", indent))
}

// Reflow wraps paragraphs again, between words, and indented lines that are too long.
func Reflow(text string, width int) string {
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, Wrap(strings.Join(paragraph, " "), width))
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			flush()
			out = append(out, indented(line, width))
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// usage returns the usage of a command, with its subcommands and flags.
func usage(cmd *cobra.Command, width int) string {
	var out strings.Builder
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&out, "\n%s:\n%s\n", title, text)
		}
	}
	out.WriteString("Usage:\n  " + usageOf(cmd) + "\n")
	section("Examples", cmd.Example)
	for _, group := range cmd.Groups() {
		section(strings.TrimSuffix(group.Title, ":"), commandList(cmd, width, func(sub *cobra.Command) bool { return sub.GroupID == group.ID }))
	}
	section("Commands", commandList(cmd, width, func(sub *cobra.Command) bool { return sub.GroupID == "" && !sub.IsAdditionalHelpTopicCommand() }))
	section("Topics", commandList(cmd, width, (*cobra.Command).IsAdditionalHelpTopicCommand))
	for _, group := range flagGroups(cmd.LocalFlags()) {
		section(group.title, group.flags.FlagUsagesWrapped(width))
	}
	section("Global flags", cmd.InheritedFlags().FlagUsagesWrapped(width))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&out, "\n\"%s <command> --help\" describes a command.\n", cmd.CommandPath())
	}
	return out.String()
}

// commandList lists the subcommands of a command that belong to a section.
func commandList(cmd *cobra.Command, width int, belongs func(*cobra.Command) bool) string {
	var out strings.Builder
	for _, sub := range cmd.Commands() {
		if (!sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand()) || !belongs(sub) {
			continue
		}
		indent := cmd.Commands()[0].NamePadding() + 3
		short := strings.ReplaceAll(Wrap(sub.Short, max(width-indent, helpWidth/4)), "\n", "\n"+strings.Repeat(" ", indent))
		fmt.Fprintf(&out, "  %-*s %s\n", indent-3, sub.Name(), short)
	}
	return out.String()
}

type flagGroup struct {
	key, title string
	flags      *pflag.FlagSet
}

// flagGroups returns the groups of flags in their order; flags without a group come last.
func flagGroups(flags *pflag.FlagSet) []flagGroup {
	groups := []flagGroup{}
	flags.VisitAll(func(flag *pflag.Flag) {
		key, title := "~", "Flags"
		if marked := flag.Annotations[groupOf]; marked != nil {
			key, title = marked[0], marked[0][2:]
		}
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.key == key })
		if i < 0 {
			i = len(groups)
			groups = append(groups, flagGroup{key, title, pflag.NewFlagSet(title, pflag.ContinueOnError)})
		}
		groups[i].flags.AddFlag(flag)
	})
	slices.SortFunc(groups, func(a, b flagGroup) int { return strings.Compare(a.key, b.key) })
	return groups
}
