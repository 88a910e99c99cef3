// Package zmtp is the server side of ZeroMQ's wire protocol, ZMTP 3.x with the
// NULL mechanism, as far as a Jupyter kernel needs it: sockets that bind
// (ROUTER, REP and XPUB) over TCP and Unix sockets.
//
// It keeps four promises.
//   - Nothing is dropped silently. A peer that reads slowly makes Send wait; a
//     peer that does not read at all is disconnected once its queue is full and
//     Options.Stall has passed, with a line to the log that says what was lost.
//   - Memory is bounded, in bytes: per peer outwards, per socket inwards, per
//     message and per frame. A length that a peer only claims costs nothing.
//   - One peer cannot hurt another. Each has its own reader and writer; the
//     handshake has a deadline.
//   - No message is torn: what Recv returns was sent whole.
//
// Specifications: RFC 23/ZMTP and RFC 37/ZMTP 3.1 (frames, greeting, commands),
// RFC 28/REQREP (ROUTER, REP), RFC 29/PUBSUB (XPUB).
package zmtp
