// Package kernel speaks the Jupyter messaging protocol, version 5.5, on one
// side and to a worker process on the other, in which an Engine runs cells.
//
//	client ──zmtp──> front ──────pipes──────> worker
//	                 Run, Session            ServeWorker(Engine)
//
// The front never runs user code. Whatever a cell does to its process, the
// front reports it on that cell, starts another worker and has the Engine
// restore the session's declarations.
//
// # From the outside in
//
//   - zmtp: sockets, bounded and unbothered by peers that misbehave.
//   - wire: frames to messages and back, signatures.
//   - kernel.go: the five sockets and their goroutines; busy and idle.
//   - request.go: which handler answers which request; execute.go queues cells,
//     one queue a subshell; info.go, control.go, comm.go, ask.go and usage.go
//     hold the handlers; iopub.go is the display.Sink that publishes.
//   - session.go: the handle on a worker, for the protocol, the headless runner
//     and the terminal alike; replace.go what follows a worker's death, crash.go
//     its cause; route.go where a cell's output goes.
//   - process.go: one worker process; pump.go brings its three pipes into one
//     order; coalesce.go makes few messages of much text; fence.go, packet.go
//     and packetvalue.go are what the two sides say to each other.
//   - worker.go: the other side; stdio_*.go its hold on the descriptors 0 to 2.
//   - spec.go and logo.go: kernel.json and what goes with it.
//
// # Goroutines of the front
//
// Each socket has one goroutine that receives. The control socket's handles
// its messages itself, one at a time, and never waits for a cell. The shell
// socket's puts cells into queues; each queue has a goroutine that runs them,
// and everything else is answered at once, beside a running cell. The worker's
// pipes have one goroutine, the pump, which calls the display.Sink of the cell
// at hand; while that blocks on a slow client the worker's writes block too,
// so nothing piles up. Parent headers travel with requests; none is global.
//
// # Order of output
//
// Printed text comes over the pipes behind descriptors 1 and 2, everything
// else as packets. Before a packet the worker writes a fence to both
// descriptors, and the pump lets neither side pass it: text before a picture
// is shown before it, and a cell's idle status follows all its text.
package kernel
