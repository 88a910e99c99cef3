package display

import "context"

// Sink is where a cell's output goes. The worker gives one to every cell; a
// program outside a notebook has the terminal one. All methods may be called
// from any goroutine, and after the cell has ended.
type Sink interface {
	// Display shows a bundle. A non-empty id names the display, so that
	// Update can change it later.
	Display(b Bundle, id string)
	// Update replaces what every display of that id shows.
	Update(b Bundle, id string)
	// Result shows the value of the cell's last expression.
	Result(b Bundle)
	// Clear removes the cell's output, with wait only when the next output comes.
	Clear(wait bool)
	// Stream prints text to "stdout" or "stderr" of the cell.
	Stream(name, text string)
	// Input asks the user for a line; password hides what is typed. It fails
	// where the front end cannot ask, and when ctx ends.
	Input(ctx context.Context, prompt string, password bool) (string, error)
	// Comm sends a message on a comm (comm_open, comm_msg, comm_close).
	Comm(m CommMessage)
}

// CommMessage is one message of a comm, in either direction.
type CommMessage struct {
	Kind     string // "comm_open", "comm_msg" or "comm_close"
	ID       string // comm_id
	Target   string // target_name, of a comm_open only
	Data     map[string]any
	Metadata map[string]any
	Buffers  [][]byte
}
