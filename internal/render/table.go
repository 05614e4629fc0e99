package render

import (
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// View is one part of a result for people.
type View interface {
	// draw writes the part, ended by a line break unless it is empty.
	draw(out *strings.Builder, look Look)
}

// Column is one column of a Table.
type Column struct {
	// Title is the heading.
	Title string
	// Wraps allows the column to get narrower than its content, which then takes
	// several lines.
	Wraps bool
	// Right aligns the content right, as for numbers.
	Right bool
}

// Table is a list of things of one kind. If its columns do not fit the window, each
// row becomes a block of lines, so nothing is ever cut off.
type Table struct {
	Columns []Column
	// Rows have one cell for each column. Cells are cleaned when drawn.
	Rows [][]string
	// Empty is the sentence shown when there are no rows.
	Empty string
}

// columnGap separates columns; narrowest is the least width of a column that wraps, which
// is not narrower than its words either, except those longer than longestWord.
const (
	columnGap   = 2
	narrowest   = 24
	longestWord = 28
)

func (t Table) draw(out *strings.Builder, look Look) {
	if len(t.Rows) == 0 {
		if t.Empty != "" {
			out.WriteString(Wrap(look.Faint(t.Empty), 0, look.Width) + "\n")
		}
		return
	}
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make([]string, len(row))
		for j, cell := range row {
			rows[i][j] = Clean(cell)
		}
	}
	if widths, fits := t.fit(rows, look.Width); fits {
		t.drawGrid(out, look, rows, widths)
		return
	}
	for i, row := range rows {
		if i > 0 {
			out.WriteString("\n")
		}
		t.block(row).draw(out, look)
	}
}

// fit chooses the width of each column, without gaps, and reports whether the table
// fits into limit columns (0: unlimited). Only columns that wrap are narrowed, the
// widest first.
func (t Table) fit(rows [][]string, limit int) ([]int, bool) {
	widths, least := make([]int, len(t.Columns)), make([]int, len(t.Columns))
	total := columnGap * (len(t.Columns) - 1)
	for j, column := range t.Columns {
		widths[j], least[j] = lipgloss.Width(column.Title), narrowest
		for _, row := range rows {
			widths[j] = max(widths[j], lipgloss.Width(row[j]))
			for word := range strings.FieldsSeq(row[j]) {
				if width := lipgloss.Width(word); width <= longestWord {
					least[j] = max(least[j], width)
				}
			}
		}
		total += widths[j]
	}
	for limit > 0 && total > limit {
		widest := -1
		for j, column := range t.Columns {
			if column.Wraps && widths[j] > least[j] && (widest < 0 || widths[j] > widths[widest]) {
				widest = j
			}
		}
		if widest < 0 {
			return nil, false
		}
		widths[widest]--
		total--
	}
	return widths, true
}

func (t Table) drawGrid(out *strings.Builder, look Look, rows [][]string, widths []int) {
	titles := make([]string, len(t.Columns))
	for j, column := range t.Columns {
		titles[j] = strings.ToUpper(column.Title)
	}
	last := len(t.Columns) - 1
	grid := table.New().Headers(titles...).Rows(rows...).
		Border(lipgloss.HiddenBorder()).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).
		StyleFunc(func(row, column int) lipgloss.Style {
			style := lipgloss.NewStyle()
			if row == table.HeaderRow && look.Color {
				style = style.Faint(true)
			}
			if t.Columns[column].Right {
				style = style.Align(lipgloss.Right)
			}
			width := widths[column]
			if column < last {
				style, width = style.PaddingRight(columnGap), width+columnGap
			}
			return style.Width(width)
		})
	for line := range strings.Lines(grid.Render() + "\n") {
		out.WriteString(trimLine(line) + "\n")
	}
}

// trimLine removes the blanks that fill a line's last cell: they are invisible on a
// terminal and a nuisance in a pipe.
func trimLine(line string) string { return strings.TrimRight(line, " \n") }

// block returns a row as fields, for windows that are too narrow for the table.
func (t Table) block(row []string) Fields {
	fields := make(Fields, len(row))
	for j, cell := range row {
		fields[j] = Field{Name: t.Columns[j].Title, Value: cell}
	}
	return fields
}
