package follow

import "time"

// Hasten makes an engine lose no time with a service in trouble, for tests in the machine's time.
func (e *Engine) Hasten() { e.backoff, e.longRetry = time.Millisecond, time.Millisecond }
