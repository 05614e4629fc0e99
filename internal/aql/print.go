package aql

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/playctl/playctl/protocol"
)

// printer writes statements in their canonical form.
type printer struct{ out strings.Builder }

// Format writes a program in its canonical form: keywords in capitals, one
// blank between words, clauses in one order, values in quotes. Comments and
// blank lines stay. Parsing the result gives the same program.
func (p *Program) Format() string {
	var out strings.Builder
	for _, line := range p.Lines {
		text := FormatStatement(line.Statement)
		if line.Commented {
			if text != "" {
				text += "  "
			}
			text = strings.TrimRight(text+"# "+line.Comment, " ")
		}
		out.WriteString(text + "\n")
	}
	return out.String()
}

// FormatStatement writes one statement in its canonical form, "" for nil. A
// passphrase that is written in it is in the result as well.
func FormatStatement(s Statement) string {
	if s == nil {
		return ""
	}
	p := &printer{}
	s.print(p)
	return p.out.String()
}

// words writes keywords.
func (p *printer) words(words ...string) {
	for _, word := range words {
		if p.out.Len() > 0 {
			p.out.WriteByte(' ')
		}
		p.out.WriteString(word)
	}
}

// operand writes a value.
func (p *printer) operand(o Operand) {
	if o.Variable != "" {
		p.words("$" + strings.Join(append([]string{o.Variable}, o.Path...), "."))
		return
	}
	p.words(quote(o.Text))
}

func (p *printer) operands(list []Operand) {
	for _, o := range list {
		p.operand(o)
	}
}

// clause writes a keyword and its value, if there is one.
func (p *printer) clause(keyword string, o *Operand) {
	if o != nil {
		p.words(keyword)
		p.operand(*o)
	}
}

func (p *printer) into(name *Name) {
	if name != nil {
		p.words("INTO", name.Text)
	}
}

// amenity writes an amenity, without quotes where it is one.
func (p *printer) amenity(o Operand) {
	if o.Variable == "" && slices.Contains(protocol.Amenities(), o.Text) {
		p.words(o.Text)
		return
	}
	p.operand(o)
}

// quote writes a text in quotes, with escapes for what a line cannot hold.
func quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r != ' ' && !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' ' || isForbidden(r):
			fmt.Fprintf(&out, `\u{%X}`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func (s Connect) print(p *printer) {
	p.words("CONNECT")
	p.clause("CONTEXT", s.Context)
	if s.Server != nil {
		p.operand(*s.Server)
	}
}

func (s Let) print(p *printer) {
	p.words("LET", s.Name.Text, "=")
	p.operands(s.Values)
}

func (s LetFrom) print(p *printer) {
	p.words("LET", s.Name.Text, "FROM", string(s.Source))
	switch {
	case s.From == nil:
	case s.Source == SourceEnv && s.From.Variable == "" && IsName(s.From.Text) && !isKeyword(s.From.Text):
		p.words(s.From.Text)
	default:
		p.operand(*s.From)
	}
}

func (s CreateSpace) print(p *printer) {
	p.words("CREATE", "SPACE")
	p.operand(s.Name)
	p.clause("DESIGN", &s.Design)
	p.clause("OWNER", &s.Owner)
	p.clause("DESCRIPTION", s.Description)
	p.clause("STRUCTURE", s.Structure)
	for i, amenity := range s.Amenities {
		if i == 0 {
			p.words("AMENITIES")
		} else {
			p.out.WriteByte(',')
		}
		p.amenity(amenity)
	}
	p.clause("KEYFILE", s.Keyfile)
	p.into(s.Into)
}

func (s UseSpaceNode) print(p *printer) {
	p.words("USE", "SPACE", "NODE")
	p.operand(s.Node)
	p.clause("PASSPHRASE", s.Passphrase)
}

func (s UseAgentNode) print(p *printer) {
	p.words("USE", "AGENT", "NODE")
	p.operand(s.Node)
	p.clause("PASSPHRASE", s.Passphrase)
}

func (s ChangeAmenity) print(p *printer) {
	p.words(s.Verb())
	p.amenity(s.Amenity)
}

func (s RemoveSpace) print(p *printer) {
	p.words("REMOVE", "SPACE")
	if s.Space != nil {
		p.operand(*s.Space)
	}
}

func (s InspectSpace) print(p *printer) {
	p.words("INSPECT", "SPACE")
	if s.Space != nil {
		p.operand(*s.Space)
	}
	p.into(s.Into)
}

func (s InspectMainNode) print(p *printer) {
	p.words("INSPECT", "MAIN", "NODE")
	p.into(s.Into)
}

func (s InspectAgent) print(p *printer) {
	p.words("INSPECT", "AGENT")
	if s.Agent != nil {
		p.operand(*s.Agent)
	}
	p.into(s.Into)
}

func (s Send) print(p *printer) {
	p.words("SEND")
	p.operands(s.Text)
}

func (s Fetch) print(p *printer) {
	p.words("FETCH", string(s.What))
	p.into(s.Into)
}

func (s Show) print(p *printer) {
	p.words("SHOW")
	if s.What != "" {
		p.words(string(s.What))
	}
	p.operands(s.Values)
}
