package aql

// whole parses the statement that is the line.
func (p *parser) whole() Statement {
	start := place{p.peek().pos}
	statement := p.statement(start)
	p.end()
	return statement
}

func (p *parser) statement(start place) Statement {
	switch {
	case p.accept("CONNECT"):
		return p.connect(start)
	case p.accept("LET"):
		return p.let(start)
	case p.accept("CREATE"):
		p.expect("SPACE")
		return p.createSpace(start)
	case p.accept("USE"):
		return p.use(start)
	case p.accept("ADD"):
		p.expect("SPACE", "AMENITY")
		return ChangeAmenity{place: start, Amenity: p.operand(operandAmenity)}
	case p.accept("REMOVE"):
		return p.remove(start)
	case p.accept("INSPECT"):
		return p.inspect(start)
	case p.accept("SEND"):
		return Send{place: start, Text: p.operands()}
	case p.accept("FETCH"):
		return p.fetch(start)
	case p.accept("SHOW"):
		return p.show(start)
	}
	p.unexpected()
	return nil
}

func (p *parser) connect(start place) Statement {
	if p.accept("CONTEXT") {
		name := p.operand(operandContext)
		return Connect{place: start, Context: &name}
	}
	return Connect{place: start, Server: p.optional(operandServer)}
}

func (p *parser) let(start place) Statement {
	name := p.name()
	if p.accept("FROM") {
		return p.letFrom(start, name)
	}
	if p.problem == nil && p.peek().kind == tokenEquals {
		p.advance()
		return Let{place: start, Name: name, Values: p.operands()}
	}
	p.tried = append(p.tried, "=")
	p.unexpected()
	return nil
}

func (p *parser) letFrom(start place, name Name) Statement {
	from := LetFrom{place: start, Name: name}
	switch {
	case p.accept(string(SourceEnv)):
		from.Source = SourceEnv
		variable := p.operand(operandEnv)
		from.From = &variable
	case p.accept(string(SourceFile)):
		from.Source = SourceFile
		path := p.operand(operandFile)
		from.From = &path
	case p.accept(string(SourcePrompt)):
		from.Source = SourcePrompt
		from.From = p.optional(operandValue)
	default:
		p.unexpected()
	}
	return from
}

// spaceClause is a clause of CREATE SPACE that gives one value.
type spaceClause struct {
	keyword string
	kind    operandKind
	into    **Operand
}

// createSpace takes the clauses in any order, each once.
func (p *parser) createSpace(start place) Statement {
	s := CreateSpace{place: start, Name: p.operand(operandValue)}
	var design, owner *Operand
	clauses := []spaceClause{
		{"DESIGN", operandValue, &design}, {"OWNER", operandValue, &owner},
		{"DESCRIPTION", operandValue, &s.Description}, {"STRUCTURE", operandValue, &s.Structure}, {"KEYFILE", operandFile, &s.Keyfile},
	}
	for more := true; more; {
		more = p.spaceClause(clauses) || p.spaceLists(&s)
	}
	if p.problem == nil && (design == nil || owner == nil) {
		p.missing(design)
	}
	if p.problem == nil {
		s.Design, s.Owner = *design, *owner
	}
	return s
}

// spaceClause takes one of the clauses that is not there yet.
func (p *parser) spaceClause(clauses []spaceClause) bool {
	for _, clause := range clauses {
		if *clause.into == nil && p.accept(clause.keyword) {
			value := p.operand(clause.kind)
			*clause.into = &value
			return true
		}
	}
	return false
}

// spaceLists takes one of the clauses that are no single value.
func (p *parser) spaceLists(s *CreateSpace) bool {
	switch {
	case s.Amenities == nil && p.accept("AMENITIES"):
		s.Amenities = p.amenities()
	case s.Into == nil && p.accept("INTO"):
		name := p.name()
		s.Into = &name
	default:
		return false
	}
	return true
}

// missing says what CREATE SPACE still needs where it stops.
func (p *parser) missing(design *Operand) {
	at := p.peek()
	switch {
	case at.kind != tokenEnd:
		p.unexpected()
	case design == nil:
		p.fail(at.pos, `DESIGN is missing: the key of the space's design, such as DESIGN "bazaar"`)
	default:
		p.fail(at.pos, `OWNER is missing: the display name of the space's owner, such as OWNER "Ada"`)
	}
}

func (p *parser) amenities() []Operand {
	list := []Operand{p.operand(operandAmenity)}
	for p.problem == nil && p.peek().kind == tokenComma {
		p.advance()
		list = append(list, p.operand(operandAmenity))
	}
	return list
}

func (p *parser) use(start place) Statement {
	switch {
	case p.accept("SPACE"):
		p.expect("NODE")
		return UseSpaceNode{place: start, Node: p.operand(operandSpaceNode), Passphrase: p.passphrase()}
	case p.accept("AGENT"):
		p.expect("NODE")
		return UseAgentNode{place: start, Node: p.operand(operandAgent), Passphrase: p.passphrase()}
	}
	p.unexpected()
	return nil
}

func (p *parser) passphrase() *Operand {
	if !p.accept("PASSPHRASE") {
		return nil
	}
	o := p.operand(operandPassphrase)
	return &o
}

func (p *parser) remove(start place) Statement {
	p.expect("SPACE")
	if p.accept("AMENITY") {
		return ChangeAmenity{place: start, Remove: true, Amenity: p.operand(operandAmenity)}
	}
	return RemoveSpace{place: start, Space: p.optional(operandSpace)}
}

func (p *parser) inspect(start place) Statement {
	switch {
	case p.accept("SPACE"):
		return InspectSpace{place: start, Space: p.optional(operandSpace), Into: p.into()}
	case p.accept("MAIN"):
		p.expect("NODE")
		return InspectMainNode{place: start, Into: p.into()}
	case p.accept("AGENT"):
		return InspectAgent{place: start, Agent: p.optional(operandAgent), Into: p.into()}
	}
	p.unexpected()
	return nil
}

func (p *parser) fetch(start place) Statement {
	for _, what := range []Fetchable{FetchOccupants, FetchMetadata, FetchSnapshot} {
		if p.accept(string(what)) {
			return Fetch{place: start, What: what, Into: p.into()}
		}
	}
	p.unexpected()
	return nil
}

func (p *parser) show(start place) Statement {
	for _, what := range []Showable{ShowAgents, ShowConnection, ShowSpaces, ShowVariables} {
		if p.accept(string(what)) {
			return Show{place: start, What: what}
		}
	}
	if o := p.optional(operandValue); o != nil {
		values := []Operand{*o}
		for o = p.optional(operandValue); o != nil; o = p.optional(operandValue) {
			values = append(values, *o)
		}
		return Show{place: start, Values: values}
	}
	p.unexpected()
	return nil
}
