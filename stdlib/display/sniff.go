package display

import (
	"bytes"
	"unicode/utf8"
)

// signatures are the first bytes of the kinds that a page can show. net/http
// knows more of them, but would be linked into every compiled cell.
var signatures = []struct {
	at   int
	sig  string
	mime string
}{
	{0, "\x89PNG\r\n\x1a\n", MIMETypePNG},
	{0, "\xff\xd8\xff", MIMETypeJPEG},
	{0, "GIF87a", "image/gif"},
	{0, "GIF89a", "image/gif"},
	{8, "WEBPVP", "image/webp"},
	{0, "BM", "image/bmp"},
	{0, "%PDF-", MIMETypePDF},
	{8, "WAVE", "audio/wav"},
	{0, "OggS\x00", "application/ogg"},
	{0, "fLaC", "audio/flac"},
	{0, "ID3", "audio/mpeg"},
	{0, "\xff\xfb", "audio/mpeg"},
	{4, "ftyp", "video/mp4"},
	{0, "\x1a\x45\xdf\xa3", "video/webm"},
}

// sniff tells the MIME type of data from its content: by signature, as markup,
// as text, or as bytes of no known kind.
func sniff(data []byte) string {
	for _, s := range signatures {
		if len(data) >= s.at && bytes.HasPrefix(data[s.at:], []byte(s.sig)) {
			return s.mime
		}
	}
	start := data[:min(len(data), 512)]
	for i := 0; i < utf8.UTFMax && len(start) < len(data) && !utf8.Valid(start); i++ {
		start = start[:len(start)-1] // a rune cut at the bound
	}
	if !utf8.Valid(start) || bytes.IndexFunc(start, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != 0x1b }) >= 0 {
		return "application/octet-stream"
	}
	head := bytes.ToLower(bytes.TrimSpace(start))
	switch {
	case bytes.HasPrefix(head, []byte("<svg")), bytes.HasPrefix(head, []byte("<?xml")) && bytes.Contains(head, []byte("<svg")):
		return MIMETypeSVG
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return MIMETypeHTML
	}
	return MIMETypeText
}
