// A person at the classic notebook, played by playwright-core in Chromium: a
// cell with a plot, one that asks for input, an endless loop that is
// interrupted, an error, and completion by Tab.
//
//   node kernel/e2e/browser.mjs [FOLDER [PAGE.html]]
//
// It also opens PAGE.html, which `fathom run --html` wrote, light, dark and in
// print. It starts Debian's `jupyter notebook` on 127.0.0.1 with the kernelspec
// `fathom` of the environment (JUPYTER_PATH, JUPYTER_DATA_DIR), writes
// screenshots into FOLDER where one is given, and ends with "N passed, N
// failed, 0 skipped". playwright-core is looked for in NODE_PATH.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const require = createRequire(process.env.NODE_PATH ? path.join(process.env.NODE_PATH, 'x.js') : import.meta.url);
const { chromium } = require('playwright-core');

const [, , shots, pageFile] = process.argv;
const token = 'browser-test';
let passed = 0;
let failed = 0;

function check(name, good, detail = '') {
  if (good) passed++; else failed++;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name}${detail ? ': ' + detail : ''}`);
}

function freePort() {
  return new Promise((resolve) => {
    const s = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}

// serve starts the notebook server and waits until it answers.
async function serve(dir) {
  const port = await freePort();
  const server = spawn('jupyter', ['notebook', '--no-browser', '--ip=127.0.0.1', `--port=${port}`,
    `--NotebookApp.token=${token}`, '--allow-root', `--notebook-dir=${dir}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (d) => { log += d; });
  for (let i = 0; i < 120; i++) {
    if (server.exitCode !== null) break;
    try {
      const r = await fetch(`http://127.0.0.1:${port}/api/status?token=${token}`);
      if (r.ok) return { server, port, log: () => log };
    } catch { /* not yet */ }
    await new Promise((r) => setTimeout(r, 250));
  }
  throw new Error('jupyter notebook does not start:\n' + log.slice(-2000));
}

function emptyNotebook() {
  return JSON.stringify({
    cells: [], nbformat: 4, nbformat_minor: 5,
    metadata: { kernelspec: { name: 'fathom', display_name: 'Go (Fathom)', language: 'go' } },
  });
}

const plotCell = `import "gonum.org/v1/plot"
import "gonum.org/v1/plot/plotter"

pts := make(plotter.XYs, 200)
for i := range pts {
	x := float64(i) / 20
	pts[i] = plotter.XY{X: x, Y: math.Sin(x) * math.Exp(-x/6)}
}
p := plot.New()
p.Title.Text = "A damped wave"
p.X.Label.Text = "seconds"
line, err := plotter.NewLine(pts)
p.Add(line, plotter.NewGrid())
p`;

// page is one notebook in the browser.
class Notebook {
  constructor(page) { this.page = page; }

  // add appends a cell, starts it, and returns its place.
  async add(code) {
    return this.page.evaluate((code) => {
      const nb = window.Jupyter.notebook;
      const cell = nb.insert_cell_at_bottom('code');
      cell.set_text(code);
      nb.select(nb.find_cell_index(cell));
      cell.execute();
      return nb.find_cell_index(cell);
    }, code);
  }

  // done waits until the cell has run and returns its outputs.
  async done(place, timeout = 60000) {
    await this.page.waitForFunction((place) => {
      const cell = window.Jupyter.notebook.get_cell(place);
      return cell.input_prompt_number && cell.input_prompt_number !== '*';
    }, place, { timeout });
    await this.page.waitForTimeout(300);
    return this.outputs(place);
  }

  outputs(place) {
    return this.page.evaluate((place) => window.Jupyter.notebook.get_cell(place).output_area.outputs
      .map((o) => JSON.parse(JSON.stringify(o))), place);
  }

  async run(code, timeout) { return this.done(await this.add(code), timeout); }

  async shot(name) {
    if (!shots) return;
    await this.page.evaluate(() => { const s = document.querySelector('#site'); if (s) s.scrollTop = s.scrollHeight; });
    await this.page.waitForTimeout(300);
    await this.page.screenshot({ path: path.join(shots, name + '.png') });
  }
}

const text = (outputs) => outputs.map((o) => o.text || (o.data && o.data['text/plain']) || o.evalue || '').join('');

async function session(page) {
  const nb = new Notebook(page);
  let out = await nb.run('import ("math"; "fmt")\nfmt.Println("hello")\n6 * 7');
  check('a cell prints and shows its last expression', text(out).includes('hello') && text(out).includes('42'), JSON.stringify(text(out)));

  out = await nb.run(plotCell);
  const types = out.flatMap((o) => Object.keys(o.data || {}));
  check('a plot is drawn', types.includes('image/svg+xml') || types.includes('image/png'), types.join(' '));
  const size = await page.evaluate(() => {
    const pic = document.querySelector('.output_area svg, .output_area img');
    const box = pic && pic.getBoundingClientRect();
    return box ? [box.width, box.height] : [0, 0];
  });
  check('the plot has a size on the page', size[0] > 100 && size[1] > 100, size.map(Math.round).join(' x '));
  await nb.shot('plot');

  const asks = await nb.add('name := display.Input("Your name: ")\nfmt.Println("Hello,", name)');
  const box = page.locator('.output_subarea input.raw_input, input.raw_input');
  await box.waitFor({ timeout: 20000 });
  await nb.shot('input');
  await box.fill('Ada');
  await box.press('Enter');
  out = await nb.done(asks);
  check('a cell asks for a line and gets it', text(out).includes('Hello, Ada'), JSON.stringify(text(out)));

  await nb.run('kept := 41');
  const loop = await nb.add('for {\n}');
  await page.waitForTimeout(1500);
  const begin = Date.now();
  await page.locator('button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]').click();
  out = await nb.done(loop, 30000);
  check('an endless loop is interrupted by the button', out.some((o) => o.output_type === 'error'), `${Date.now() - begin} ms, ${JSON.stringify(text(out))}`);
  out = await nb.run('kept + 1');
  check('the variables are still there', text(out) === '42', JSON.stringify(text(out)));

  out = await nb.run('values := []int{1, 2, 3}\nindex := 7\nvalues[index]');
  check('an error has a traceback', out.some((o) => o.output_type === 'error' && o.traceback.length > 0), JSON.stringify(text(out)));
  await nb.shot('error');

  out = await nb.run('type city struct {\n\tName string\n\tPeople int\n}\n[]city{{"Oslo", 709000}, {"Turku", 206000}, {"Bergen", 294000}}');
  check('a slice of structs is a table', out.some((o) => o.data && /<table/.test(o.data['text/html'] || '')), out.flatMap((o) => Object.keys(o.data || {})).join(' '));
  await nb.shot('table');

  out = await nb.run('Display(display.Math(`\\int_0^1 x^2\\,dx = \\frac{1}{3}`))');
  await page.waitForTimeout(1500);
  check('LaTeX is typeset', await page.locator('.output_area .MathJax, .output_area .MathJax_Display, .output_area mjx-container').count() > 0);

  // Tab after "strings.HasP" completes in place.
  const last = await page.evaluate(() => {
    const nb = window.Jupyter.notebook;
    const cell = nb.insert_cell_at_bottom('code');
    cell.set_text('strings.HasP');
    nb.select(nb.find_cell_index(cell));
    cell.focus_editor();
    cell.code_mirror.setCursor({ line: 0, ch: 12 });
    return nb.find_cell_index(cell);
  });
  await nb.page.keyboard.press('Tab');
  await page.waitForTimeout(1500);
  const typed = await page.evaluate((i) => window.Jupyter.notebook.get_cell(i).get_text(), last);
  check('Tab completes', typed.includes('HasPrefix'), typed);
  await page.keyboard.press('Shift+Tab');
  await page.waitForTimeout(1500);
  const tip = await page.evaluate(() => { const t = document.querySelector('#tooltip'); return t && t.offsetHeight > 0 ? t.innerText : ''; });
  check('Shift-Tab says what it is', tip.includes('HasPrefix'), JSON.stringify(tip.slice(0, 80)));
  await nb.shot('tooltip');
}

// standalone opens a page from its file and sees that it needs nothing else.
async function standalone(browser, file) {
  const wanted = [];
  const errors = [];
  const page = await browser.newPage({ viewport: { width: 1500, height: 1100 } });
  page.on('request', (r) => { if (!r.url().startsWith('file:') && !r.url().startsWith('data:')) wanted.push(r.url()); });
  page.on('console', (m) => { if (m.type() === 'error') errors.push(m.text()); });
  page.on('pageerror', (e) => errors.push(String(e)));
  await page.goto('file://' + path.resolve(file));
  check('the page asks for nothing from elsewhere', wanted.length === 0, wanted.join(' '));
  check('the page has no errors', errors.length === 0, errors.join(' '));
  const links = await page.evaluate(() => [...document.querySelectorAll('nav a')]
    .map((a) => decodeURIComponent(a.getAttribute('href').slice(1))).filter((id) => !document.getElementById(id)));
  check('the table of contents leads somewhere', links.length === 0 && await page.locator('nav a').count() > 1, links.join(' '));
  const broken = await page.evaluate(() => [...document.images].filter((i) => !i.naturalWidth).length);
  check('every picture is drawn', broken === 0, `${await page.locator('img').count()} pictures`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check('nothing runs out of the window', wide <= 0, `${wide} pixels`);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  if (shots) await page.screenshot({ path: path.join(shots, 'page-light.png'), fullPage: true });
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await paper();
  if (shots) await page.screenshot({ path: path.join(shots, 'page-dark.png'), fullPage: true });
  await page.locator('#theme').click();
  check('light and dark, by the system and by the button', light !== dark && await paper() === light, `${light} ${dark} ${await paper()}`);
  await page.emulateMedia({ media: 'print' });
  check('print leaves the controls out', !(await page.locator('nav').isVisible()) && !(await page.locator('#theme').isVisible()));
  if (shots) await page.pdf({ path: path.join(shots, 'page.pdf'), format: 'A4' });
  await page.close();
}

async function main() {
  if (shots) fs.mkdirSync(shots, { recursive: true });
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fathom-browser-'));
  fs.writeFileSync(path.join(dir, 'test.ipynb'), emptyNotebook());
  let jupyter;
  let browser;
  try {
    jupyter = await serve(dir);
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const page = await browser.newPage({ viewport: { width: 1100, height: 820 } });
    await page.goto(`http://127.0.0.1:${jupyter.port}/notebooks/test.ipynb?token=${token}`);
    await page.waitForFunction(() => window.Jupyter && window.Jupyter.notebook && window.Jupyter.notebook.kernel
      && window.Jupyter.notebook.kernel.is_connected() && window.Jupyter.notebook.kernel.info_reply.language_info, null, { timeout: 60000 });
    check('the kernel is ready', true);
    await session(page);
    if (pageFile) await standalone(browser, pageFile);
  } catch (e) {
    check('no exception', false, String(e.stack || e).split('\n').slice(0, 6).join('\n     '));
    if (jupyter) console.log(jupyter.log().slice(-3000));
  } finally {
    if (browser) await browser.close();
    if (jupyter) {
      await fetch(`http://127.0.0.1:${jupyter.port}/api/shutdown?token=${token}`, { method: 'POST' }).catch(() => {});
      setTimeout(() => jupyter.server.kill('SIGKILL'), 5000).unref();
      await new Promise((r) => { if (jupyter.server.exitCode !== null) r(); else jupyter.server.once('exit', r); });
    }
    fs.rmSync(dir, { recursive: true, force: true });
  }
  console.log(`${passed} passed, ${failed} failed, 0 skipped`);
  process.exit(failed ? 1 : 0);
}

await main();
