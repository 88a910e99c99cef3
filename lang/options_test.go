package lang

import (
	"go/importer"
	"go/token"
	"io"
	"os"
	"testing"
)

var kitPackages = []string{"std", "github.com/fathom-kernel/fathom/lang/cellrt"}

var sharedFset = token.NewFileSet()

func testOptions(t testing.TB) Options {
	k := testKit(t)
	e := Options{Kit: k}
	e.Importer = importer.ForCompiler(sharedFset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(k.Archives[path]) })
	e.Resolve = func(name, member string) (string, bool) {
		m := map[string]string{"fmt": "fmt", "strings": "strings", "os": "os", "time": "time", "math": "math", "sort": "sort", "errors": "errors", "context": "context"}
		p, ok := m[name]
		return p, ok
	}
	return e
}
