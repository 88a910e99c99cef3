// Package notebook reads, runs and writes Jupyter notebooks without Jupyter.
//
// A file is read by Parse (nbformat 3 and 4.0 to 4.5, as Jupyter, VS Code and
// Colab write them), changed in memory as a Notebook, and written by Bytes
// always as nbformat 4.5. What the package does not know (metadata of other
// tools, attachments, outputs of other kernels) passes through unchanged, and
// writing what was read gives the same bytes again, so that version control
// sees only what changed.
//
// Source of the format: the JSON schemas of the nbformat project, versions
// 3.0 and 4.0 to 4.5.
package notebook

// Cell kinds of nbformat 4.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// Output kinds of nbformat 4.
const (
	StreamOutput  = "stream"
	DisplayData   = "display_data"
	ExecuteResult = "execute_result"
	ErrorOutput   = "error"
)

// The format that Bytes writes.
const (
	Major = 4
	Minor = 5
)

// Notebook is one notebook document.
type Notebook struct {
	Metadata map[string]any
	Cells    []*Cell

	// minor is the file's own nbformat_minor where it is newer than Minor, so
	// that a newer file is not labelled as an older one when it is written.
	minor int
	// extra holds top-level fields that the format does not define.
	extra map[string]any
}

// Cell is one cell of a notebook.
type Cell struct {
	Kind        string // Code, Markdown or Raw
	ID          string // unique in the notebook, 1 to 64 of [a-zA-Z0-9_-]
	Source      string
	Metadata    map[string]any
	Attachments map[string]any // file name → MIME type → content; nil where there is none
	Count       int            // execution_count of a code cell; 0 means that it has not run
	Outputs     []*Output      // of a code cell
}

// Output is one output of a code cell.
type Output struct {
	Kind     string
	Name     string         // of a stream: "stdout" or "stderr"
	Text     string         // of a stream
	Data     map[string]any // of display_data and execute_result: MIME type → content
	Metadata map[string]any // of display_data and execute_result
	Count    int            // of an execute_result: execution_count, 0 for null

	// Of an error: its kind, its message, and lines that may hold ANSI colours.
	ErrName, ErrValue string
	Traceback         []string

	// displayID names a display that a later update may change. It lives as
	// long as the run and is not part of the file.
	displayID string
	// extra holds fields that the format does not define; for an output of
	// unknown kind, all of them.
	extra map[string]any
}

// New returns an empty notebook for Go cells.
func New() *Notebook {
	return &Notebook{Metadata: map[string]any{
		"kernelspec": map[string]any{
			"display_name": "Go (Fathom)",
			"language":     "go",
			"name":         "fathom",
		},
		"language_info": map[string]any{
			"file_extension": ".go",
			"mimetype":       "text/x-go",
			"name":           "go",
		},
	}}
}

// Tags returns the tags of a cell, from its metadata.
func (c *Cell) Tags() []string {
	list, _ := c.Metadata["tags"].([]any)
	var tags []string
	for _, t := range list {
		if s, ok := t.(string); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// HasTag reports whether the cell carries the tag.
func (c *Cell) HasTag(tag string) bool {
	for _, t := range c.Tags() {
		if t == tag {
			return true
		}
	}
	return false
}

// Title returns the text of the first Markdown heading, or "" where there is
// none.
func (nb *Notebook) Title() string {
	for _, c := range nb.Cells {
		if c.Kind != Markdown {
			continue
		}
		if title := firstHeading(c.Source); title != "" {
			return title
		}
	}
	return ""
}

// Language returns the programming language that the notebook says it is in,
// lower case, or "" where it says nothing.
func (nb *Notebook) Language() string {
	for _, path := range [][2]string{{"language_info", "name"}, {"kernelspec", "language"}} {
		if m, ok := nb.Metadata[path[0]].(map[string]any); ok {
			if name, ok := m[path[1]].(string); ok && name != "" {
				return lower(name)
			}
		}
	}
	return ""
}
