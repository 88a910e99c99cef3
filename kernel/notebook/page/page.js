// Light or dark: the system's choice, until the reader makes another.
(function () {
  var root = document.documentElement, key = "fathom-theme";
  function get() { try { return localStorage.getItem(key); } catch (e) { return null; } }
  function put(v) { try { localStorage.setItem(key, v); } catch (e) { /* a file: page may have no storage */ } }
  var saved = get();
  if (saved) root.dataset.theme = saved;
  document.getElementById("theme").onclick = function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    put(root.dataset.theme);
  };
})();
