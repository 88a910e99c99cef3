package lang

import (
	"go/scanner"
	"go/token"
)

// qualifiers returns the identifiers of the source that stand before a dot and
// not after one: what may be package names.
func qualifiers(src string) map[string]bool {
	found := map[string]bool{}
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", fset.Base(), len(src)), []byte(src), func(token.Position, string) {}, 0)
	var before, last token.Token
	var name string
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.PERIOD && last == token.IDENT && before != token.PERIOD {
			found[name] = true
		}
		before, last = last, tok
		if tok == token.IDENT {
			name = lit
		}
	}
}

// identifiers returns the identifiers of the source.
func identifiers(src string) map[string]bool {
	found := map[string]bool{}
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", fset.Base(), len(src)), []byte(src), func(token.Position, string) {}, 0)
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.IDENT {
			found[lit] = true
		}
	}
}
