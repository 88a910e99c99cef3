package kernel

import "errors"

// SpecOptions says where InstallSpec writes.
type SpecOptions struct {
	Name        string   // folder of the kernelspec; empty means "fathom"
	DisplayName string   // empty means "Go (Fathom)"
	Alias       []string // further names for the same kernel, such as "gophernotes"
	Argv        []string // empty means this binary with "kernel -f {connection_file}"
	Env         map[string]string
	// At most one of these; none means User.
	User      bool   // the user's Jupyter data directory
	SysPrefix bool   // the prefix of the python that is first on PATH
	Prefix    string // PREFIX/share/jupyter/kernels
}

// InstallSpec writes kernel.json and the logos and returns the folders that
// it wrote.
func InstallSpec(opt SpecOptions) ([]string, error) { return nil, errors.New("kernel: not built yet") }
