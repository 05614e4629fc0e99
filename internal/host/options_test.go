package host

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

func TestInvalidOptionsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"no world":                         {func(o *Options) { o.World = nil }, "World"},
		"no deriver":                       {func(o *Options) { o.Deriver = nil }, "Deriver"},
		"certificate without key":          {func(o *Options) { o.CertFile = "cert.pem" }, "key"},
		"missing certificate":              {func(o *Options) { o.CertFile, o.KeyFile = "none.pem", "none.key" }, "none.pem"},
		"public profiles":                  {func(o *Options) { o.Profiling = true }, "profiles"},
		"invalid address":                  {func(o *Options) { o.Address = "7420" }, "7420"},
		"public URL without a scheme":      {func(o *Options) { o.PublicURL = "example.org" }, "example.org"},
		"public URL with a query":          {func(o *Options) { o.PublicURL = "https://example.org?a=b" }, "example.org"},
		"origin with a path":               {func(o *Options) { o.CORSOrigins = []string{"https://a.org/x"} }, "origin"},
		"any origin":                       {func(o *Options) { o.CORSOrigins = []string{"*"} }, "origin"},
		"embedding for any origin":         {func(o *Options) { o.WatchEmbed = []string{"https://*.a.org"} }, "origin"},
		"embedding origin with a policy":   {func(o *Options) { o.WatchEmbed = []string{"https://a.org;script-src"} }, "origin"},
		"long world name":                  {func(o *Options) { o.WorldName = strings.Repeat("é", 81) }, "81 characters"},
		"world name with a line break":     {func(o *Options) { o.WorldName = "a\nb" }, "control"},
		"embedding for a non-HTTP origin":  {func(o *Options) { o.WatchEmbed = []string{"ftp://a.org"} }, "origin"},
		"unknown registration":             {func(o *Options) { o.Registration = "sometimes" }, "sometimes"},
		"token mode without a token":       {func(o *Options) { o.Registration = RegistrationToken }, "token"},
		"unused token":                     {func(o *Options) { o.RegistrationToken = protocol.NewSecret("x") }, "token"},
		"unknown policy":                   {func(o *Options) { o.APIKeys = "maybe" }, "maybe"},
		"unknown compatibility":            {func(o *Options) { o.Compat = "other" }, "other"},
		"required keys with compatibility": {func(o *Options) { o.Compat, o.APIKeys = CompatAgentPlay, APIKeysRequired }, "required"},
		"maximum life below the minimum":   {func(o *Options) { o.Streams.MinLife, o.Streams.MaxLife = 2, 1 }, "live"},
		"negative duration":                {func(o *Options) { o.Streams.Comment = -1 }, "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{World: new(world.World), Deriver: new(creds.Deriver)}
			c.change(&o)
			if _, err := New(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("New: %v, want an error that contains %q", err, c.want)
			}
		})
	}
}

// An error in one option is reported before there is a world, and names the option.
func TestOptionsAreCheckedWithoutWorld(t *testing.T) {
	if err := (&Options{WatchEmbed: []string{"https://a.org/"}}).Check(); err != nil {
		t.Errorf("valid options: %v", err)
	}
	for option, o := range map[string]*Options{
		"Address": {Address: "7420"}, "OpsAddress": {OpsAddress: "7420"}, "PublicURL": {PublicURL: "example.org"},
		"CORSOrigins": {CORSOrigins: []string{"foo"}}, "WatchEmbed": {WatchEmbed: []string{"ftp://a.org"}},
		"WatchNames": {WatchNames: []string{"a/b"}}, "AllowHosts": {AllowHosts: []string{"a/b"}}, "WorldName": {WorldName: "a\nb"},
		"Registration": {Registration: "sometimes"}, "APIKeys": {APIKeys: "maybe"}, "Compat": {Compat: "other"},
		"WatchAccess": {WatchAccess: "some"}, "Profiling": {Profiling: true},
	} {
		err := o.Check()
		if wrong, ok := errors.AsType[*OptionError](err); !ok || wrong.Option != option {
			t.Errorf("%s: %v", option, err)
		}
	}
}

func TestMetricsServeOnlyOneHost(t *testing.T) {
	f := newFixture(t)
	o := f.host.options
	if _, err := New(o); err == nil {
		t.Error("two hosts share one Metrics")
	}
	if o.CertFile, o.KeyFile = filepath.Join(t.TempDir(), "c"), "k"; o.Metrics == nil {
		t.Error("a host has no Metrics")
	}
}
