package live

// canSuspend is false: Windows has nothing that a shell could continue.
const canSuspend = false

func onContinue(func()) (stop func()) { return func() {} }

func suspendJob() {}
