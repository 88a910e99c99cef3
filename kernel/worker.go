package kernel

// ServeWorker runs the engine for the front that started this process with
// the pipes of a Session, and returns when the front is gone or says so. The
// binary's "worker" command calls it with a new Engine.
func ServeWorker(engine Engine) error { return errNotYet }
