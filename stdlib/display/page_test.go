package display

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browse opens a page in Chromium, lets its scripts run, and returns what the
// element "out" holds then.
func browse(t *testing.T, body string) string {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skipf("chromium is not installed: the table's script is not run (%v)", err)
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte("<!doctype html><meta charset=utf-8><body>"+body), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--virtual-time-budget=3000", "--dump-dom", "file://"+page)
	cmd.WaitDelay = 5 * time.Second
	timer := time.AfterFunc(90*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	s := string(out)
	i := strings.Index(s, `id="out">`)
	if i < 0 {
		t.Fatalf("the page has no output: %s", s)
	}
	s = s[i+9:]
	s = s[:strings.Index(s, "<")]
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&nbsp;", " ").Replace(s)
}

// The script is run in a browser and its rows are read back: paging, sorting in
// both directions, searching, CSV, the formats of Go and of the script, and a
// table that stands in the page twice.
func TestTableScript(t *testing.T) {
	type row struct {
		Name string
		X    float64 `unit:"s"`
		N    any
	}
	rows := make([]row, 57)
	for i := range rows {
		rows[i] = row{fmt.Sprintf("r,%d", i), float64((i*37)%57) * 1.25, []int{i, i + 1}}
	}
	rows[3].X = 0
	rows[4].N = nil
	small := []map[string]any{{"p": 0.05}, {"p": 1e-8}, {"p": 0.5}, {"p": 12345.678}, {"p": -1e-7}, {"q": "</script><i>"}}
	const driver = `<pre id="out"></pre><script>
setTimeout(function () {
  var roots = document.querySelectorAll(".fathom-table"), r = roots[0], log = {};
  function first(root) { return [].map.call(root.querySelectorAll("tbody tr"), function (tr) {
    return [].map.call(tr.children, function (td) { return td.querySelector("summary") ? td.querySelector("summary").textContent : td.textContent; }); }); }
  function foot() { return r.querySelector(".foot span").textContent; }
  log.ready = [].map.call(roots, function (x) { return x.hasAttribute("data-ready"); });
  log.first = first(r); log.foot = foot();
  var b = r.querySelectorAll(".foot button");
  b[1].click(); b[1].click(); log.last = first(r); log.lastFoot = foot(); log.end = b[1].disabled;
  r.querySelectorAll("thead th")[2].click(); log.sorted = first(r);
  r.querySelectorAll("thead th")[2].click(); log.reversed = first(r);
  r.querySelectorAll("thead th")[2].click(); log.unsorted = first(r);
  var s = r.querySelector("input"); s.value = "R,5"; s.dispatchEvent(new Event("input")); log.found = first(r); log.foundFoot = foot();
  var copied; document.execCommand = function () { copied = document.activeElement.value || document.querySelector("body > textarea").value; return true; };
  Object.defineProperty(window, "isSecureContext", { value: false });
  b[2].click(); log.csv = copied;
  log.small = first(roots[1]);
  document.getElementById("out").textContent = JSON.stringify(log);
}, 500);</script>`
	var log struct {
		Ready                                          []bool
		First, Last, Sorted, Reversed, Unsorted, Found [][]string
		Small                                          [][]string
		Foot, LastFoot, FoundFoot, CSV                 string
		End                                            bool
	}
	table := Table(rows).HTML()
	out := browse(t, table+Table(small).HTML()+table+driver)
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if fmt.Sprint(log.Ready) != "[true true true]" {
		t.Errorf("started %v", log.Ready)
	}
	if len(log.First) != 20 || log.First[1][1] != "r,1" || log.First[1][2] != "46.25" || log.First[1][3] != "[]int{1, 2}" || log.Foot != "1–20 of 57 rows" {
		t.Errorf("first page: %v, %s", log.First[1], log.Foot)
	}
	if len(log.Last) != 17 || log.Last[16][0] != "56" || log.LastFoot != "41–57 of 57 rows" || !log.End {
		t.Errorf("last page: %d rows, %s, end %v", len(log.Last), log.LastFoot, log.End)
	}
	if log.Sorted[0][2] != "0.00" || log.Sorted[2][2] != "1.25" || log.Reversed[0][2] != "70.00" || log.Unsorted[0][0] != "0" {
		t.Errorf("sorted %v, reversed %v, unsorted %v", log.Sorted[:3], log.Reversed[0], log.Unsorted[0])
	}
	if len(log.Found) != 8 || log.FoundFoot != "1–8 of 8 found in 57 rows" { // 5, 50 to 56
		t.Errorf("found %d: %s", len(log.Found), log.FoundFoot)
	}
	// The textarea that carries the copy has plain line breaks.
	if lines := strings.Split(log.CSV, "\n"); len(lines) != 10 || lines[0] != "Name,X (s),N" || lines[1] != `"r,5",17.5,"[]int{5, 6}"` {
		t.Errorf("CSV is %q", log.CSV)
	}
	// What Go wrote into the page and what the script draws is the same.
	html := Table(small).HTML()
	for i, r := range log.Small {
		for _, c := range r[1:] {
			if !strings.Contains(html, ">"+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(c)+"</td>") {
				t.Errorf("row %d: the script writes %q, Go does not", i, c)
			}
		}
	}
}

// Front ends put outputs into the page by script, where a script element in
// markup does not run by itself: JupyterLab makes new script elements before it
// attaches the output, jQuery of the classic notebook runs the text on its own,
// before or after.
func TestTableScriptAsFrontEndsInsertIt(t *testing.T) {
	page, err := json.Marshal(Table(make([]struct{ X int }, 45)).HTML())
	if err != nil {
		t.Fatal(err)
	}
	const driver = `<pre id="out"></pre><script>
var html = PAGE, log = {};
function host() { var h = document.createElement("div"); h.innerHTML = html; return h; }
function state(h) { return [h.querySelector("[data-ready]") !== null, h.querySelectorAll("tbody tr").length, h.querySelector(".foot span") ? h.querySelector(".foot span").textContent : ""]; }
var lab = host();
[].slice.call(lab.querySelectorAll("script")).forEach(function (s) {
  var n = document.createElement("script"); n.textContent = s.textContent; s.parentNode.replaceChild(n, s); });
document.body.appendChild(lab);
var late = host(), text = late.querySelector("script").textContent;
(0, eval)(text); // the classic notebook, before the output is in the page
setTimeout(function () { document.body.appendChild(late); }, 250);
var still = host(); // untrusted: nothing runs
still.querySelector("script").remove();
setTimeout(function () {
  log.lab = state(lab); log.late = state(late);
  log.plain = [still.querySelectorAll("tbody tr").length, still.querySelector(".foot").textContent];
  document.getElementById("out").textContent = JSON.stringify(log);
}, 1200);</script>`
	out := browse(t, strings.Replace(driver, "PAGE", string(page), 1))
	want := `{"lab":[true,20,"1–20 of 45 rows"],"late":[true,20,"1–20 of 45 rows"],"plain":[20,"first 20 of 45 rows × 1 column"]}`
	if out != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

// A notebook with outputs of every kind is checked by nbformat's own schema.
func TestOutputsAreValidNotebook(t *testing.T) {
	python := ""
	for _, p := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(p, "-c", "import nbformat").Run() == nil {
			python = p
			break
		}
	}
	values := []any{HTML("<b>"), Markdown("*"), Math("x"), Latex("x"), SVG("<svg/>"), PNG([]byte{1}), JPEG([]byte{2}), PDF([]byte{3}),
		JSON(map[string]any{"a": 1.5}), JSON([]int{1}), JavaScript("1"), GeoJSON(`{"type":"Point","coordinates":[1,2]}`),
		VegaLite(`{"mark":"bar"}`, nil), Sound([]float64{0, 1}, 8000), Row(1, "a"), everything{}, full{}, simple{}, tree{},
		[]link{{Note: map[string]any{"x": 1}}}, MIME(MIMEMap{"text/html": 3, "image/png": "aGk=", "text/x": []string{"a"}}, nil),
		MIME(MIMEMap{"ename": "odd", "application/json": "{}"}, MIMEMap{"image/png": map[string]any{"width": 3}})}
	for _, v := range hostile() {
		values = append(values, v)
	}
	var outputs []any
	for _, v := range values {
		b := Render(v)
		meta := b.Metadata
		if meta == nil {
			meta = map[string]any{}
		}
		outputs = append(outputs, map[string]any{"output_type": "display_data", "data": b.Wire(), "metadata": meta})
	}
	nb, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{map[string]any{
		"id": "a", "cell_type": "code", "execution_count": 1, "metadata": map[string]any{}, "source": "", "outputs": outputs}}})
	if err != nil {
		t.Fatal(err)
	}
	// The schema's own rules for a mimebundle: text is a string, JSON anything.
	for i, o := range outputs {
		for mime, data := range o.(map[string]any)["data"].(map[string]any) {
			if _, ok := data.(string); !ok && !isJSON(mime) {
				t.Errorf("output %d: %s is a %T", i, mime, data)
			}
		}
	}
	if python == "" {
		t.Skip("nbformat is not installed: the notebook is checked by this test's own rules only")
	}
	path := filepath.Join(t.TempDir(), "all.ipynb")
	if err := os.WriteFile(path, nb, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", "import nbformat,sys; nbformat.validate(nbformat.read(sys.argv[1], as_version=4))", path).CombinedOutput(); err != nil {
		t.Errorf("nbformat: %v\n%s", err, out)
	}
}
