package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/fathom-kernel/fathom/kernel/zmtp"
)

// connection is a connection file: where a kernel binds and how it signs.
type connection struct {
	path   string
	fields map[string]any // all of the file, for writing it back

	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Scheme    string `json:"signature_scheme"`
	Key       string `json:"key"`
	Ports     ports  `json:"-"`
}

// ports by socket; over IPC they are suffixes of a path.
type ports struct{ Shell, IOPub, Stdin, Control, HB int }

func (p *ports) named() map[string]*int {
	return map[string]*int{"shell_port": &p.Shell, "iopub_port": &p.IOPub, "stdin_port": &p.Stdin, "control_port": &p.Control, "hb_port": &p.HB}
}

// readConnection reads a connection file. Ports that are missing or 0 are to
// be chosen.
func readConnection(path string) (*connection, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("kernel: connection file %s is not there; it is made by the Jupyter client that starts a kernel", path)
	} else if err != nil {
		return nil, fmt.Errorf("kernel: connection file: %w", err)
	}
	return parseConnection(path, b)
}

// parseConnection reads the text of a connection file; path is for errors.
func parseConnection(path string, b []byte) (*connection, error) {
	c := &connection{path: path}
	var err error
	if err = json.Unmarshal(b, &c.fields); err == nil {
		err = json.Unmarshal(b, c)
	}
	if err != nil || c.fields == nil {
		return nil, fmt.Errorf("kernel: connection file %s is not a JSON object of the right form (%v)", path, err)
	}
	for name, port := range c.Ports.named() {
		switch v := c.fields[name].(type) {
		case nil:
		case float64:
			*port = int(v)
		case string: // as the handshake writes them
			if *port, err = strconv.Atoi(v); err != nil {
				return nil, fmt.Errorf("kernel: connection file %s: %s is %q, not a number", path, name, v)
			}
		default:
			return nil, fmt.Errorf("kernel: connection file %s: %s is not a number", path, name)
		}
		if *port < 0 || *port > 65535 {
			return nil, fmt.Errorf("kernel: connection file %s: %s is %d, not a port", path, name, *port)
		}
	}
	switch c.Transport {
	case "":
		c.Transport = "tcp"
	case "tcp", "ipc":
	default:
		return nil, fmt.Errorf("kernel: connection file %s: transport %q; use tcp or ipc", path, c.Transport)
	}
	if c.IP == "" && c.Transport == "tcp" {
		c.IP = "127.0.0.1"
	}
	return c, nil
}

// bindFor is how long a port that is in use is tried again: the one who chose
// it may be letting go of it.
const bindFor = 2 * time.Second

// bind binds one socket; *port 0 is replaced by the port chosen.
func (c *connection) bind(typ zmtp.Type, port *int, opt *zmtp.Options) (*zmtp.Socket, error) {
	for end := time.Now().Add(bindFor); ; time.Sleep(50 * time.Millisecond) {
		s, err := c.tryBind(typ, port, opt)
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return s, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("kernel: port %d of %s is in use by another program; start the kernel again", *port, c.path)
		}
	}
}

func (c *connection) tryBind(typ zmtp.Type, port *int, opt *zmtp.Options) (*zmtp.Socket, error) {
	if c.Transport == "tcp" {
		ip := c.IP
		if ip == "*" {
			ip = ""
		}
		s, err := zmtp.Listen(typ, "tcp", net.JoinHostPort(ip, strconv.Itoa(*port)), opt)
		if err == nil && *port == 0 {
			*port = s.Addr().(*net.TCPAddr).Port
		}
		return s, err
	}
	n := *port
	for n == 0 || *port == 0 && exists(fmt.Sprintf("%s-%d", c.IP, n)) {
		n++
	}
	s, err := zmtp.Listen(typ, "unix", fmt.Sprintf("%s-%d", c.IP, n), opt)
	if err == nil {
		*port = n
	}
	return s, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// save writes the file back with the ports that were chosen, if any were.
func (c *connection) save() error {
	changed := false
	for name, port := range c.Ports.named() {
		if old, ok := c.fields[name].(float64); !ok || int(old) != *port {
			c.fields[name] = *port
			changed = true
		}
	}
	if !changed {
		return nil
	}
	b, err := json.MarshalIndent(c.fields, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(c.path, append(b, '\n'), 0o600)
}

// writeFile writes a file under a temporary name and renames it.
func writeFile(path string, b []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-"+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("kernel: writing %s: %w", path, err)
	}
	return nil
}
