// Pages, sorts, searches and copies one table. options: id of the data, rows of
// a page, whether rows are counted, rows of the value. A cell is null, a number,
// a string, or [text, sort key, folded text].
function (options, columns, rows) {
  function text(v, c) {
    if (v === null) return "";
    if (Array.isArray(v)) return v[0];
    if (typeof v === "string") return v;
    if (c.d > 0) return v.toFixed(c.d).replace(/^-(0\.0*)$/, "$1");
    if (c.d === 0 || v === 0) return String(v);
    var e = Math.floor(Math.log10(Math.abs(v)));
    if (e >= -4 && e < c.g) return String(Number(v.toPrecision(c.g)));
    return v.toExponential(c.g - 1).replace(/\.?0*e/, "e").replace("e+", "e");
  }
  function full(v) { return v === null ? "" : Array.isArray(v) ? (v[2] || v[0]) : String(v); }
  function key(v) { return Array.isArray(v) ? (v.length > 2 ? v[0] : v[1]) : v; }
  function count(n) { return n.toLocaleString("en-US"); }
  function make(tag, parent, content) {
    var el = document.createElement(tag);
    if (content !== undefined) el.textContent = content;
    parent.appendChild(el);
    return el;
  }
  function start(root) {
    root.setAttribute("data-ready", "");
    var body = root.querySelector("tbody"), foot = root.querySelector(".foot");
    var heads = [].slice.call(root.querySelectorAll("thead th"), options.index ? 1 : 0);
    var all = rows.map(function (_, i) { return i; });
    var order = all, first = 0, by = -1, up = true, wanted = "";
    foot.textContent = "";
    var search, back, next, where;
    if (rows.length > options.page) {
      search = make("input", foot);
      search.type = "search";
      search.placeholder = "search";
      search.setAttribute("aria-label", "search the table");
      search.addEventListener("input", function () { wanted = search.value.toLowerCase(); first = 0; arrange(); });
      // Notebook shortcuts must not fire while someone types here.
      search.addEventListener("keydown", function (e) { e.stopPropagation(); });
      back = make("button", foot, "‹");
      back.setAttribute("aria-label", "previous rows");
      back.addEventListener("click", function () { first = Math.max(0, first - options.page); draw(); });
      next = make("button", foot, "›");
      next.setAttribute("aria-label", "next rows");
      next.addEventListener("click", function () { first += options.page; draw(); });
    }
    where = make("span", foot);
    var copy = make("button", foot, "copy CSV");
    copy.className = "copy";
    copy.addEventListener("click", function () {
      function quote(s) { return /[",\r\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s; }
      var lines = [columns.map(function (c) { return quote(c.n + (c.u ? " (" + c.u + ")" : "")); }).join(",")];
      order.forEach(function (i) { lines.push(rows[i].map(function (v) { return quote(full(v)); }).join(",")); });
      var csv = lines.join("\r\n") + "\r\n";
      function done() { copy.textContent = "copied"; setTimeout(function () { copy.textContent = "copy CSV"; }, 1200); }
      function old() {
        var area = make("textarea", document.body, csv);
        area.select();
        document.execCommand("copy");
        area.remove();
        done();
      }
      if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(csv).then(done, old);
      else old();
    });
    heads.forEach(function (th, j) {
      th.tabIndex = 0;
      th.title = "sort";
      var mark = make("span", th);
      function turn() {
        if (by !== j) { by = j; up = true; } else if (up) up = false; else by = -1;
        heads.forEach(function (h, k) {
          h.lastChild.textContent = k !== by ? "" : up ? " ▲" : " ▼";
          h.setAttribute("aria-sort", k !== by ? "none" : up ? "ascending" : "descending");
        });
        first = 0;
        arrange();
      }
      th.addEventListener("click", turn);
      th.addEventListener("keydown", function (e) {
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); e.stopPropagation(); turn(); }
      });
    });
    function arrange() {
      order = all.filter(function (i) {
        return !wanted || rows[i].some(function (v, j) {
          return (text(v, columns[j]) + " " + full(v)).toLowerCase().indexOf(wanted) >= 0;
        });
      });
      if (by >= 0) order.sort(function (a, b) {
        var x = key(rows[a][by]), y = key(rows[b][by]);
        if (x === y) return a - b;
        // Missing values and NaN stand last in both directions.
        if (x === null || x === undefined) return 1;
        if (y === null || y === undefined) return -1;
        if (typeof x !== typeof y) { x = String(x); y = String(y); }
        return (x < y ? -1 : 1) * (up ? 1 : -1);
      });
      draw();
    }
    function say() {
      var s = count(options.total) + (options.total === 1 ? " row" : " rows");
      if (order.length > options.page || order.length < rows.length)
        s = (order.length ? count(first + 1) + "–" + count(Math.min(first + options.page, order.length)) + " of " : "") +
          count(order.length) + (order.length < rows.length ? " found in " + count(rows.length) : "") + " rows";
      if (rows.length < options.total) s += " (the first " + count(rows.length) + " of " + count(options.total) + " are in this page)";
      where.textContent = s;
      if (back) {
        back.disabled = first === 0;
        next.disabled = first + options.page >= order.length;
      }
    }
    function draw() {
      body.textContent = "";
      order.slice(first, first + options.page).forEach(function (i) {
        var tr = make("tr", body);
        if (options.index) make("th", tr, String(i));
        rows[i].forEach(function (v, j) {
          var td = make("td", tr);
          if (columns[j].r) td.className = "r";
          if (Array.isArray(v) && v[2]) {
            var d = make("details", td);
            make("summary", d, v[0]);
            make("pre", d, v[2]);
          } else td.textContent = text(v, columns[j]);
        });
      });
      say();
    }
    draw();
  }
  // The same table may stand in a page twice, and a front end may run the script
  // before it puts the table into the page.
  var tries = 0;
  (function find() {
    var found = document.querySelectorAll('[data-table="' + options.id + '"]:not([data-ready])');
    for (var i = 0; i < found.length; i++) start(found[i]);
    if (!found.length && tries++ < 20) setTimeout(find, 100);
  })();
}
