package otel

// program is a program that reports spans, by service.name.
type program struct {
	// complete says that a trace of it is complete, shown that one showed something, and
	// models that one has requests to models.
	complete, shown, models bool
	// told and base64 say that it was returned by Hidden, for each of the reasons.
	told, base64 bool
}

// mostPrograms bounds the programs that are remembered.
const mostPrograms = 1000

// Hidden is a program whose complete traces show nothing.
type Hidden struct {
	Service string
	// Models says that it traces models, and Base64 that its spans were rejected because
	// their ids are in base64.
	Models, Base64 bool
}

// Reject notes the rejected spans of a request.
func (c *Collector) Reject(rejected *Rejected) {
	if rejected.Base64 == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.program(rejected.From); p != nil && !p.base64 {
		p.base64 = true
		c.hidden = append(c.hidden, Hidden{Service: rejected.From, Base64: true})
	}
}

// program returns what is known about a program; nil if there are too many.
func (c *Collector) program(service string) *program {
	if c.programs[service] == nil && len(c.programs) < mostPrograms {
		c.programs[service] = &program{}
	}
	return c.programs[service]
}

// Hidden returns the programs whose traces are complete and show nothing, each once.
func (c *Collector) Hidden() []Hidden {
	c.mu.Lock()
	defer c.mu.Unlock()
	hidden := c.hidden
	c.hidden = nil
	return hidden
}

// complete adds the runs of a trace to those that are ready, and notes which programs the
// trace shows.
func (c *Collector) complete(t *trace) {
	c.ready = append(c.ready, t.runs(c.rules, c.AsAgent)...)
	shown := false // or omitted by rules
	for _, s := range t.spans {
		shown = shown || s.Kind == AgentRun || s.Kind == ToolCall || s.Server != "" || c.AsAgent && s.Kind == Chat
	}
	for _, s := range t.spans {
		p := c.program(s.Service)
		if p == nil {
			continue
		}
		p.complete = true
		p.shown = p.shown || shown
		p.models = p.models || s.Kind == Chat
	}
}

// findHidden finds the programs that show nothing although none of their traces is open.
func (c *Collector) findHidden() {
	waiting := map[string]*program{}
	for service, p := range c.programs {
		if p.complete && !p.shown && !p.told {
			waiting[service] = p
		}
	}
	if len(waiting) == 0 {
		return
	}
	for e := c.open.Front(); e != nil; e = e.Next() {
		for _, s := range e.Value.(*trace).spans { //nolint:forcetypeassert // the lists have traces only
			delete(waiting, s.Service)
		}
	}
	for service, p := range waiting {
		p.told = true
		c.hidden = append(c.hidden, Hidden{Service: service, Models: p.models})
	}
}
