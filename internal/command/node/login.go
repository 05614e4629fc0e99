package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// loginFlags are the flags for joining a host.
type loginFlags struct {
	phrase      command.PhraseFlags
	signIn      bool
	inviteFile  string
	rootFile    string
	fingerprint string
}

func newLoginCommand(a *command.App) *cobra.Command {
	var flags loginFlags
	cmd := &cobra.Command{
		Use:        "login [url]",
		SuggestFor: []string{"signin", "sign-in", "join"},
		GroupID:    command.GroupNodes,
		Short:      "Join a host by an invitation or its URL, or sign in on a new machine",
		Long: `Join a host. Without a URL it asks for an invitation that "playctl invite" created, or reads it from
standard input if there is no terminal. A host that is open to everyone needs only its URL. An
invitation is never an argument, because others on the machine can see arguments.

It creates an account and a context that remembers the host's address, root key and, if the
invitation has one, the certificate's fingerprint. Commands use that context from then on.

With --phrase it signs in to an existing account: on a new machine, or after the credentials file
was lost. It asks for the account's phrase, or reads it from standard input, and names the agents by
the labels that the host keeps; they need no phrases of their own. An invitation to the host, used
or not, has its address; otherwise pass the URL.`,
		Example: command.Example(
			"playctl login",
			"playctl login --invite-file invitation.txt --context work",
			"playctl login https://play.example.com",
			"playctl login --phrase https://play.example.com < main.txt"),
		Args: command.Takes("url?"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.signIn && (flags.phrase.To != "" || flags.phrase.Show) {
				return command.Hintf(command.Usagef("--phrase-file and --show-phrase are for a new phrase, but --phrase uses an existing one"),
					"omit them; --phrase reads the phrase from standard input")
			}
			invited, err := flags.invitation(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			if flags.signIn {
				return signIn(cmd.Context(), a, &flags, invited)
			}
			return join(cmd.Context(), a, &flags, invited)
		},
	}
	cmd.Flags().StringVar(&flags.inviteFile, "invite-file", "", "the `file` with the invitation; - is standard input")
	cmd.Flags().StringVar(&flags.fingerprint, "fingerprint", "", "trust only the certificate with this SHA-256 (`HEX`)")
	cmd.Flags().BoolVar(&flags.signIn, "phrase", false, "sign in to an existing account: ask for its phrase, or read it from standard input")
	registerRootFile(cmd, &flags.rootFile)
	flags.phrase.RegisterNew(cmd.Flags())
	return cmd
}

// invitation returns the host to join: from an invitation, or from the URL of an open
// host.
func (f *loginFlags) invitation(ctx context.Context, a *command.App, args []string) (invited creds.Invitation, err error) {
	if len(args) == 0 && f.signIn && f.inviteFile == "" {
		known, err := knownHost(a)
		if err != nil {
			return invited, err
		}
		args = []string{cmp.Or(a.Settings.Server, known, command.DefaultServer)}
	}
	if len(args) == 0 {
		if invited, err = readInvitation(ctx, a, f.inviteFile); err != nil {
			return invited, err
		}
		err = f.addFingerprint(&invited)
		return invited, err
	}
	if _, err := creds.ParseInvitation(args[0]); err == nil {
		return invited, command.Hintf(command.Usagef("an invitation is a secret: others on this machine can see it as an argument"),
			"run \"playctl login\" and paste it, or pass its file with --invite-file; have this one revoked if others may have seen it")
	}
	if f.inviteFile != "" {
		return invited, command.Hintf(command.Usagef("--invite-file and a URL cannot be used together"), "omit the URL")
	}
	if invited.ServerURL, err = creds.ParseServerURL(args[0]); err != nil {
		return invited, command.Usagef("%w", err)
	}
	if err := f.addFingerprint(&invited); err != nil {
		return invited, err
	}
	invited.Token, err = a.EnvironmentSecret(command.EnvRegistrationToken)
	return invited, err
}

// addFingerprint sets the fingerprint of the flag.
func (f *loginFlags) addFingerprint(invited *creds.Invitation) error {
	if f.fingerprint == "" {
		return nil
	}
	known, err := creds.ParseFingerprint(f.fingerprint)
	if err != nil {
		return command.Usagef("--fingerprint: %w", err)
	}
	if invited.Fingerprint != "" && invited.Fingerprint != known {
		return command.Hintf(command.Usagef("the invitation has another fingerprint than --fingerprint"),
			"ask the person who invited you: one of them is not of the host's certificate")
	}
	invited.Fingerprint = known
	return nil
}

// readInvitation reads an invitation from a file, at a terminal, or from standard input.
func readInvitation(ctx context.Context, a *command.App, file string) (creds.Invitation, error) {
	text, from, err := "", "the invitation", command.ErrNoTerminal
	if file == "" && command.IsTerminal(a.Stdin) {
		text, err = a.Ask(ctx, "The invitation:", true)
	}
	if errors.Is(err, command.ErrNoTerminal) {
		if file == "" && command.IsTerminal(a.Stdin) {
			return creds.Invitation{}, command.Hintf(command.Usagef("there is no terminal for entering the invitation"),
				"pass its file with --invite-file, or the URL of a host that is open to everyone")
		}
		file = cmp.Or(file, "-")
		var content []byte
		content, err = a.ReadText(file, command.MaxSecret)
		text, from = string(content), command.InputName(file)
	}
	if err != nil {
		return creds.Invitation{}, err
	}
	invited, err := creds.ParseInvitation(text)
	if err != nil {
		hint := "ask the person who invited you to send it again; \"playctl login URL\" joins a host that is open to everyone"
		if words := strings.Fields(text); len(words) > 1 && !strings.HasPrefix(words[0], creds.InvitationPrefix) {
			hint = "if it is a phrase, sign in with \"playctl login --phrase URL\"; " + hint
		}
		return creds.Invitation{}, command.Hintf(command.BadInput(fmt.Errorf("%s: %w", from, err)), "%s", hint)
	}
	return invited, nil
}

// join creates an account at the host of the invitation or the URL.
func join(ctx context.Context, a *command.App, flags *loginFlags, invited creds.Invitation) error {
	place, err := joinContext(ctx, a, &invited)
	if err != nil {
		return err
	}
	target := place.Context
	c, err := newcomer(a, target, invited.Token)
	if err != nil {
		return err
	}
	defer c.Close()
	if target.RootKey = invited.RootKey; target.RootKey != "" {
		err = checkInviter(ctx, a, c, target)
	} else {
		target.RootKey, err = rootKey(ctx, a, c, "", flags.rootFile)
	}
	if err != nil {
		return err
	}
	place.explain(a)
	flags.phrase.KeepUnseen(a)
	return makeAccount(ctx, a, c, target, &flags.phrase, true)
}

// joinContext returns the context for a new host: the named one, else "default" if that
// is free, else one that is named after the host.
func joinContext(ctx context.Context, a *command.App, invited *creds.Invitation) (*accountPlace, error) {
	_, file, err := a.CredentialsFile()
	if err != nil {
		return nil, err
	}
	service, err := a.ServiceOr(protocol.ServicePlay)
	if err != nil {
		return nil, err
	}
	place := &accountPlace{}
	for _, name := range file.Names() {
		there, err := file.Context(name)
		if err != nil || there.ServerURL != invited.ServerURL || there.Main == nil || a.Settings.Context != "" {
			continue
		}
		if err := place.passOver(ctx, a, file, there); err != nil {
			return nil, command.Hintf(fmt.Errorf("context %[2]q already has an account at %[1]s", there.ServerURL, name),
				"\"playctl context use %s\" uses it; use a new name with --context for another account there", name)
		}
	}
	if err := place.find(ctx, a, file, a.Settings.Context, invited.ServerURL, service, false); err != nil {
		return nil, err
	}
	place.Fingerprint = cmp.Or(invited.Fingerprint, place.Fingerprint)
	return place, nil
}

// knownHost returns the address in the named context, "" for none, for a sign-in to a
// host that was added before.
func knownHost(a *command.App) (string, error) {
	if a.Settings.Context == "" {
		return "", nil
	}
	_, file, err := a.CredentialsFile()
	if err != nil {
		return "", err
	}
	there, err := file.Context(a.Settings.Context)
	if errors.Is(err, creds.ErrContextUnknown) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return there.ServerURL, nil
}

var notInContextName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^A-Za-z0-9._-]+`)
})

// nameFrom converts a text to the name of a context or of an API key; it returns
// otherwise if no valid characters remain.
func nameFrom(text, otherwise string) string {
	const most = 64
	name := strings.Trim(notInContextName().ReplaceAllString(text, "-"), "-._")
	return cmp.Or(name[:min(len(name), most)], otherwise)
}
