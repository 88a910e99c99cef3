package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
)

// archive packs what is read lazily of the packages: a zip, so that one
// package's part is found and unpacked without the others.
func archive(members []*pkg) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, kind := range []string{"export", "doc", "source"} {
		for _, p := range members {
			data := map[string][]byte{"export": p.export, "doc": p.doc, "source": p.source}[kind]
			if len(data) == 0 {
				continue
			}
			h := &zip.FileHeader{Name: kind + "/" + p.path, Method: zip.Deflate}
			if p.Module != nil && p.Module.Main {
				h.Method = zip.Store // changes often; the history then keeps only the differences
			}
			w, err := z.CreateHeader(h)
			if err != nil {
				return nil, err
			}
			if _, err := w.Write(data); err != nil {
				return nil, err
			}
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
