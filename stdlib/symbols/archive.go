package symbols

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
	"sync"
)

var opened [len(groups)]struct {
	once  sync.Once
	files map[string]*zip.File
	err   error
}

// open returns the part ("export", "doc" or "source") of a package.
func open(group int, part, path string) (io.ReadCloser, error) {
	a := &opened[group]
	a.once.Do(func() {
		text := groups[group].Archive
		z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
		if err != nil {
			a.err = fmt.Errorf("symbols: archive: %w; regenerate", err)
			return
		}
		a.files = make(map[string]*zip.File, len(z.File))
		for _, f := range z.File {
			a.files[f.Name] = f
		}
	})
	if a.err != nil {
		return nil, a.err
	}
	f := a.files[part+"/"+path]
	if f == nil {
		return nil, fmt.Errorf("symbols: the archive has no %s of %q; regenerate", part, path)
	}
	return f.Open()
}
