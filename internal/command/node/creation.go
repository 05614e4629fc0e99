package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// begin saves a node that is about to be created, before the request to the host, and
// keeps other commands from creating nodes until end. taken returns an error if the node
// has no place in the file by now.
func begin(ctx context.Context, a *command.App, node *creds.Pending, kind string, taken func(*creds.File) error) (end func() error, err error) {
	store, err := a.CredentialsStore()
	if err != nil {
		return nil, err
	}
	limited, cancel := a.Limited(ctx)
	defer cancel()
	if end, err = store.Creating(limited); err != nil {
		return nil, unsavable(kind, err)
	}
	var refused error
	err = store.Update(limited, func(file *creds.File) error {
		refused = taken(file)
		if refused != nil {
			return refused
		}
		return file.AddPending(*node)
	})
	if refused == nil && err != nil {
		err = unsavable(kind, err)
	}
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return end, nil
}

// dropPending drops a node that the host did not create.
func dropPending(ctx context.Context, a *command.App, nodeID string) error {
	return changeContexts(context.WithoutCancel(ctx), a, func(file *creds.File) error {
		file.DropPending(nodeID)
		return nil
	})
}

// settleTime limits the time to ask a host about an interrupted creation.
const settleTime = 3 * time.Second

// settle finishes what interrupted commands left: nodes that their hosts have are saved in
// their contexts, others are dropped. A host that does not answer is asked by the next
// command.
func settle(ctx context.Context, a *command.App) (err error) {
	store, file, err := a.CredentialsFile()
	if err != nil {
		return nil // The command itself reports it.
	}
	// What cannot be removed now is removed later.
	if _ = store.RemoveLeft(); len(file.Pending()) == 0 {
		return nil
	}
	end, err := store.TryCreating()
	if err != nil || end == nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if file, err = store.Load(); err != nil {
		return err
	}
	for _, node := range file.Pending() {
		if err := settleOne(ctx, a, store, &node); err != nil {
			return err
		}
	}
	return nil
}

func settleOne(ctx context.Context, a *command.App, store *creds.Store, node *creds.Pending) error {
	there := node.Context
	self := client.Credentials{NodeID: node.NodeID()}
	if there.Main != nil {
		self.Hash = there.Main.PasswHash
	} else {
		self.Hash = there.Agents()[0].PasswHash
	}
	c, err := a.Client(&command.Caller{Context: there, Server: there.ServerURL, Service: there.Service}, self)
	if err != nil {
		return err
	}
	defer c.Close()
	limited, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	once := c.WithRetry(retry.Policy{Attempts: 1})
	_, err = once.ValidateNode(limited, protocol.ValidateRequest{})
	if protocol.HasCode(err, protocol.CodeCredentialsInvalid) {
		return dropPending(ctx, a, node.NodeID())
	}
	if err != nil {
		return nil // The next command asks again.
	}
	if there.Main != nil {
		// The key of the creation was in its reply only.
		if there.Main.APIKey, there.Main.KeyName, err = machineKey(limited, a, once); err != nil {
			return nil // The next command tries again.
		}
	}
	saved := ""
	err = store.Update(context.WithoutCancel(ctx), func(file *creds.File) (err error) {
		saved, err = keepPending(file, node)
		return err
	})
	if err == nil && saved != "" {
		a.Note("An earlier command was interrupted. What it created is saved now, in context %s.", saved)
	}
	return err
}

// keepPending moves a node into its context, and returns the name of that context; "" if
// there is none for it, as for an agent whose account is not in the file.
func keepPending(file *creds.File, node *creds.Pending) (string, error) {
	file.DropPending(node.NodeID())
	if node.Owner == "" {
		for name := range contextNames("", node.Context.ServerURL) {
			if there, err := file.Context(node.Context.Name); err != nil || isVacant(there) {
				return node.Context.Name, putContext(file, node.Context, true, node.Use)
			}
			node.Context.Name = name
		}
	}
	for _, name := range file.Names() {
		there, err := file.Context(name)
		if err != nil || there.MainNodeID() != node.Owner {
			continue
		}
		agent := node.Context.Agents()[0]
		err = there.AddAgent(agent)
		if errors.Is(err, creds.ErrLabelTaken) {
			agent.Label = ""
			err = there.AddAgent(agent)
		}
		if errors.Is(err, creds.ErrAgentExists) {
			err = nil
		}
		return name, err
	}
	return "", nil
}

// unsavable returns the error of a node that was not created because its credentials
// could not be saved.
func unsavable(kind string, err error) error {
	return command.Hintf(fmt.Errorf("no %s was created, because its credentials could not be saved: %w", kind, err), "use another file with --credentials-file")
}

// createUnsaved creates an agent for an account that is in no context.
func createUnsaved(ctx context.Context, a *command.App, caller *command.Caller, label string) error {
	existing, err := labeledAgent(ctx, a, label)
	if err != nil {
		return err
	}
	if existing != nil {
		return hasAgent(label, "the account")
	}
	ref, err := createNamedAgent(ctx, a, caller, label)
	if err != nil {
		return err
	}
	return a.Printer.Print(createdAgent(caller, creds.Agent{NodeID: ref.ID, Label: label}, &command.NodePhrase{Flags: &command.PhraseFlags{}}))
}

// hasAgent returns the error of a label that an agent of a context or of an account has.
func hasAgent(label, where string) error {
	return command.Hintf(fmt.Errorf("an agent %q %w in %s", label, command.ErrAgentExists, where), "use another label, or add --if-missing")
}

// createNamedAgent creates the agent node whose credentials are derived from the
// account's credentials and a name. If another program created it before, it returns that
// one.
func createNamedAgent(ctx context.Context, a *command.App, caller *command.Caller, name string) (command.AgentRef, error) {
	c, err := a.Client(caller, caller.Main)
	if err != nil {
		return command.AgentRef{}, err
	}
	defer c.Close()
	node, err := namedAgent(ctx, a, c, caller, name)
	if err != nil {
		return command.AgentRef{}, err
	}
	label := name
	if c.Service() != protocol.ServicePlay || creds.CheckLabel(name) != nil {
		label = ""
	}
	err = a.CallWith(ctx, c, "Registering the agent", func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateLabeledAgent(ctx, node, label)
		if protocol.HasCode(err, protocol.CodeNodeExists) {
			return nil
		}
		return err
	})
	if err != nil {
		return command.AgentRef{}, err
	}
	return command.AgentRef{ID: node.NodeID, Label: name, Node: node, Own: true}, nil
}

// namedAgent derives the credentials of an agent from those of its account and a name.
func namedAgent(ctx context.Context, a *command.App, c *client.Client, caller *command.Caller, name string) (client.Credentials, error) {
	root, err := rootKey(ctx, a, c, caller.RootKey(), "")
	if err != nil {
		return client.Credentials{}, err
	}
	return derive(ctx, a, creds.NamedAgentHash(caller.Main.Hash, name), root)
}
