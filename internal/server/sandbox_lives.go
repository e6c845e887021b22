package server

import (
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// maxBody is the most bytes of the request's body that are read.
func (c *call) maxBody() int64 {
	if c.op == &contract.RestoreSandboxSnapshot {
		return c.server.Bounds.SnapshotBytes
	}
	return c.server.Bounds.BodyBytes
}

func (c *call) resetSandbox() error {
	if _, err := c.readUnused(); err != nil {
		return err
	}
	world, err := c.session.Sandbox.ResetSandbox(c.r.Context())
	if err != nil {
		return err
	}
	return c.replyWorld(world)
}

func (c *call) getSandboxSnapshot() error {
	snapshot, err := c.session.Sandbox.GetSandboxSnapshot(c.r.Context())
	if err != nil {
		return err
	}
	c.nameWorld(snapshot.Instance) // which may be another one than that in which the request began
	text, err := payments.Encode(snapshot)
	if err != nil {
		return err
	}
	if most := c.server.Bounds.SnapshotBytes; int64(len(text)) > most {
		return payments.Refuse(payments.KindConflict,
			"A snapshot of this world would have %d bytes; one of more than %d cannot be restored.", len(text), most)
	}
	return c.sendEncoded(c.op.Success, text)
}

func (c *call) restoreSandboxSnapshot() error {
	snapshot, err := decode(c, c.session.Checks.CheckSandboxSnapshot)
	if err != nil {
		return err
	}
	world, err := c.session.Sandbox.RestoreSandboxSnapshot(c.r.Context(), snapshot)
	if err != nil {
		return err
	}
	return c.replyWorld(world)
}

// replyWorld answers with a new life of the world, which the answer already is of.
func (c *call) replyWorld(world payments.SandboxWorld) error {
	c.nameWorld(world.Instance)
	return c.reply(world)
}
