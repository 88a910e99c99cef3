package lang

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestCompleteScratch(t *testing.T) {
	name := os.Getenv("COMPLETE")
	if name == "" {
		return
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := completionEngine()
	for s := bufio.NewScanner(f); s.Scan(); {
		code := strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(s.Text())
		at := strings.Index(code, "⁁")
		code = strings.Replace(code, "⁁", "", 1)
		begin := time.Now()
		c := e.Complete(context.Background(), code, at)
		d := time.Since(begin)
		fmt.Printf(">>> %s  (%v, %d)\n    %q\n    %v\n", s.Text(), d, len(c.Matches), repair(clean(code), c.Start, c.End, time.Now().Add(time.Second)), c.Matches[:min(len(c.Matches), 10)])
	}
}
