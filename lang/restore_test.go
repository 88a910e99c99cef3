package lang

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestRestore declares again, in another engine, what a session had, and names
// what is lost.
func TestRestore(t *testing.T) {
	a := newNotebook(t)
	defer a.e.Close()
	for _, code := range []string{
		"import str \"strings\"\ntype T struct{ n int }\nfunc (t T) Twice() int { return 2 * t.n }\nfunc shout(s string) string { return str.ToUpper(s) }",
		"const (\n\tred = iota\n\tgreen\n)\nfunc Map[A, B any](xs []A, f func(A) B) (out []B) { for _, x := range xs { out = append(out, f(x)) }; return }",
		"func shout(s string) string { return str.ToUpper(s) + \"!\" }\ntype (\n\tA struct{ b *B }\n\tB struct{ a *A }\n)",
		"lost := T{1}\nalso := shout(\"x\")\nfunc useLost() int { return lost.n }",
	} {
		if _, _, err := a.run(code); err != nil {
			t.Fatal(err.Plain())
		}
	}
	snapshot := a.e.Execute(context.Background(), Cell{Count: 9, Code: ""}, newRecorder()).Snapshot

	b := newNotebook(t)
	defer b.e.Close()
	lost, err := b.e.Restore(context.Background(), snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"also", "lost", "useLost"}; !reflect.DeepEqual(lost, want) {
		t.Errorf("lost %v, want %v", lost, want)
	}
	out, _, cerr := b.run("fmt.Println(shout(\"a\"), T{4}.Twice(), green, Map([]int{1, 2}, func(i int) int { return i * i }), A{} == A{})")
	if cerr != nil {
		t.Fatal(cerr.Plain())
	}
	if want := "A! 8 1 [1 4] true\n"; out != want {
		t.Errorf("prints %q, want %q", out, want)
	}
	if _, _, err := b.run("lost"); err == nil {
		t.Error("a lost variable is there")
	}
	if _, err := New(testOptions(t)).Restore(context.Background(), []byte("{broken")); err == nil {
		t.Error("a broken snapshot is taken")
	}
}

// TestExport exports notebooks, has the go command vet, build and run them, and
// wants what the cells printed.
func TestExport(t *testing.T) {
	for name, cells := range map[string][]string{
		"plain": {
			"x := 1\nfmt.Println(x)",
			"type P struct{ X, Y int }\nfunc (p P) Sum() int { return p.X + p.Y }\np := P{x, 2}\nfmt.Println(p.Sum())",
			"x := \"text\"\nfmt.Println(x, len(x))",
			"func f() int { return 1 }\nfunc g() int { return 10 * f() }\nfmt.Println(g())",
			"func f() int { return 2 }\nfmt.Println(g())",
			"type P struct{ X, Y, Z int }\nq := P{1, 2, 3}\nfmt.Println(q, p)",
			"a := 1; a := a + 1; fmt.Println(a)",
			"for i := range 2 { fmt.Println(i) }",
			"const (\n\tA = iota\n\tB\n)\nvar u, v = A, B\nfmt.Println(u, v)\n%time fmt.Println(\"timed\")",
		},
		"rules": {
			"import \"context\"\ntype Options struct{ N int }\nfunc Solve(ctx context.Context, n int, o *Options) (int, error) { return n * 2, ctx.Err() }",
			"s := Solve(4)\nfmt.Println(s, Solve(Solve(1)))",
			"n := strconv.Atoi(\"12\")\nfmt.Println(n)",
			"func later() int { return Solve(3) + strconv.Atoi(\"1\") }\nfmt.Println(later())",
			"os.Remove(\"/nosuchfile\")\nfmt.Println(\"after\")",
		},
		"program": {
			"package main\n\nimport \"fmt\"\n\nvar Count = start + 1\nvar start = 41\n\nfunc init() { fmt.Println(\"init\") }\n\nfunc main() { fmt.Println(\"main\", Count) }",
			"Count++\nfmt.Println(Count)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			defer n.e.Close()
			var want strings.Builder
			var in []ExportCell
			for _, c := range cells {
				out, _, err := n.run(c)
				if err != nil {
					t.Fatal(err.Plain())
				}
				want.WriteString(out)
				in = append(in, ExportCell{Source: c})
			}
			dir := t.TempDir()
			files, err := Export(testOptions(t), in, "test", dir)
			if err != nil {
				t.Fatal(err)
			}
			goTool := func(args ...string) string {
				cmd := exec.Command("go", args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
				out, err := cmd.CombinedOutput()
				if err != nil {
					var all strings.Builder
					for _, f := range files {
						b, _ := os.ReadFile(filepath.Join(dir, f))
						all.WriteString("--- " + f + "\n" + string(b))
					}
					t.Fatalf("go %v: %v\n%s\n%s", args, err, out, all.String())
				}
				return string(out)
			}
			goTool("vet", ".")
			goTool("build", "-o", "program", ".")
			out, err := exec.Command(filepath.Join(dir, "program")).Output()
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != want.String() {
				t.Errorf("the program prints\n%s\nthe cells printed\n%s", out, want.String())
			}
		})
	}
}
