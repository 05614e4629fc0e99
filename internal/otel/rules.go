package otel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of a map file.
const (
	mostRules    = 1000
	longestRegex = 1000
)

// Redacted replaces a removed text.
const Redacted = "[redacted]"

// Rule says what happens to the names that it matches.
type Rule struct {
	// Match is a pattern with *, ? and [a-z] that must match the whole name.
	Match string `yaml:"match"`
	// Service, for agents, is a pattern for the program that reported the span.
	Service string `yaml:"service"`
	// Name replaces the name: agents with the same one are one agent.
	Name string `yaml:"name"`
	// URL, for servers, is the address that the placement shows.
	URL string `yaml:"url"`
	// Drop omits everything with the name.
	Drop bool `yaml:"drop"`
}

// Rules rename, group and omit agents, tools and servers; the first matching rule
// applies. The zero value changes nothing.
type Rules struct {
	Agents  []Rule   `yaml:"agents"`
	Tools   []Rule   `yaml:"tools"`
	Servers []Rule   `yaml:"servers"`
	Redact  []string `yaml:"redact"`

	redact []*regexp.Regexp
}

// ParseRules reads a map file, which is YAML.
func ParseRules(text []byte) (*Rules, error) {
	rules := &Rules{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(rules); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	for section, list := range map[string][]Rule{"agents": rules.Agents, "tools": rules.Tools, "servers": rules.Servers} {
		if len(list) > mostRules {
			return nil, fmt.Errorf("%s has %d rules, at most %d are allowed", section, len(list), mostRules)
		}
		for i, rule := range list {
			if err := rule.check(section); err != nil {
				return nil, fmt.Errorf("%s, rule %d: %w", section, i+1, err)
			}
		}
	}
	if len(rules.Redact) > mostRules {
		return nil, fmt.Errorf("redact has %d expressions, at most %d are allowed", len(rules.Redact), mostRules)
	}
	for i, expression := range rules.Redact {
		compiled, err := regexp.Compile(cut(expression, longestRegex))
		if err != nil || len(expression) > longestRegex {
			return nil, fmt.Errorf("redact, expression %d is not a regular expression of at most %d bytes", i+1, longestRegex)
		}
		rules.redact = append(rules.redact, compiled)
	}
	return rules, nil
}

func (r *Rule) check(section string) error {
	if r.Match == "" && r.Service == "" {
		return errors.New("match is empty: set the pattern that names must match")
	}
	for _, pattern := range []string{r.Match, r.Service} {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is not a pattern", pattern)
		}
	}
	switch {
	case r.Service != "" && section != "agents":
		return errors.New("service is for rules about agents")
	case r.URL != "" && section != "servers":
		return errors.New("url is for rules about servers")
	case r.Drop && (r.Name != "" || r.URL != ""):
		return errors.New("drop excludes it: omit name and url")
	case !r.Drop && r.Name == "" && r.URL == "":
		return errors.New("it has neither name nor drop")
	}
	return nil
}

// apply returns the first rule that matches a name and a service; nil for none.
func apply(rules []Rule, name, service string) *Rule {
	for i := range rules {
		if fits(rules[i].Match, name) && fits(rules[i].Service, service) {
			return &rules[i]
		}
	}
	return nil
}

// fits reports whether a text matches a pattern; the empty one matches every text.
func fits(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	// In names "/" is an ordinary character, but * of path.Match does not match it.
	const instead = "\x1f"
	matched, err := path.Match(strings.ReplaceAll(pattern, "/", instead), strings.ReplaceAll(text, "/", instead))
	return err == nil && matched
}

// rename returns the name after the rules; false if they omit it.
func rename(rules []Rule, name, service string) (string, bool) {
	rule := apply(rules, name, service)
	switch {
	case rule == nil:
		return name, true
	case rule.Drop:
		return "", false
	case rule.Name == "":
		return name, true
	}
	return rule.Name, true
}

// clean removes the texts that the rules redact.
func (r *Rules) clean(text string) string {
	for _, expression := range r.redact {
		text = expression.ReplaceAllString(text, Redacted)
	}
	return text
}
