// Widgets in the classic notebook, used in Chromium by playwright-core: a slider
// moves and the plot follows, a form is filled and its button pressed, what a
// listener prints comes to the cell that began it, and a page that is loaded
// again has its sliders back.
//
//   node stdlib/display/e2e/widgets.mjs [FOLDER]
//
// It starts Debian's `jupyter notebook` with the kernelspec `fathom` of the
// environment, writes screenshots into FOLDER where one is given, and ends with
// "N passed, N failed, 0 skipped". playwright-core is looked for in NODE_PATH.
// It needs jupyter-nbextension-jupyter-js-widgets.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const require = createRequire(process.env.NODE_PATH ? path.join(process.env.NODE_PATH, 'x.js') : import.meta.url);
const { chromium } = require('playwright-core');

const shots = process.argv[2];
const token = 'widget-test';
let passed = 0;
let failed = 0;

function check(name, good, detail = '') {
  if (good) passed++; else failed++;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name}${detail ? ': ' + detail : ''}`);
}

const interactCell = `display.Interact(func(x float64, n int) any {
	y := make([]float64, 100)
	for i := range y {
		y[i] = math.Sin(x*float64(i)/10) * float64(n)
	}
	p, err := plot.Line(nil, y, &plot.Options{Title: fmt.Sprintf("x = %.1f, n = %d", x, n)})
	if err != nil {
		return err
	}
	return p
}, display.Slider("x", 0, 10, 1), display.IntSlider("n", 1, 5, 2))`;

const formCell = `name := display.TextField("name", "Ada")
pick := display.Select("pick", "one", "two <b>")
tick := display.Checkbox("tick", true)
area := display.Output()
press := display.Button("press", func() { area.Show(fmt.Sprint(name.Value(), "|", pick.Value(), "|", tick.Value())) })
display.Box(name, pick, tick, press, area.Widget)`;

async function serve(dir) {
  const port = await new Promise((resolve) => {
    const s = net.createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => resolve(port)); });
  });
  const server = spawn('jupyter', ['notebook', '--no-browser', '--ip=127.0.0.1', `--port=${port}`,
    `--NotebookApp.token=${token}`, '--allow-root', `--notebook-dir=${dir}`], { stdio: 'ignore' });
  for (let i = 0; i < 120 && server.exitCode === null; i++) {
    try {
      if ((await fetch(`http://127.0.0.1:${port}/api/status?token=${token}`)).ok) return { server, port };
    } catch { /* not yet */ }
    await new Promise((r) => setTimeout(r, 250));
  }
  throw new Error('jupyter notebook does not start');
}

async function session(page) {
  const run = async (code) => {
    const place = await page.evaluate((code) => {
      const nb = window.Jupyter.notebook;
      const cell = nb.insert_cell_at_bottom('code');
      cell.set_text(code);
      cell.execute();
      return nb.find_cell_index(cell);
    }, code);
    await page.waitForFunction((i) => {
      const n = window.Jupyter.notebook.get_cell(i).input_prompt_number;
      return n && n !== '*';
    }, place, { timeout: 60000 });
    await page.waitForTimeout(800);
    return place;
  };
  const texts = (place) => page.evaluate((i) => window.Jupyter.notebook.get_cell(i).output_area.outputs
    .map((o) => o.text || (o.data && o.data['text/plain']) || o.evalue || '').join(''), place);
  const press = async (handle, key, times) => {
    await handle.focus();
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
    await page.waitForTimeout(2000);
  };

  let place = await run(interactCell);
  check('two sliders are drawn', await page.locator('.ui-slider').count() === 2);
  check('the first plot is there', (await texts(place)).includes('x = 1.0, n = 2'), await texts(place));
  await press(page.locator('.ui-slider-handle').first(), 'ArrowRight', 8);
  check('the plot follows the slider', (await texts(place)).includes('x = 1.8, n = 2'), await texts(place));
  await press(page.locator('.ui-slider-handle').nth(1), 'ArrowRight', 2);
  check('and the other slider', (await texts(place)).includes('x = 1.8, n = 4'), await texts(place));

  await run(formCell);
  await page.locator('.widget-text input').first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Grace');
  await page.keyboard.press('Enter');
  await page.locator('.widget-subarea select, .jupyter-widgets select').first().selectOption({ index: 1 });
  await page.locator('.jupyter-widgets input[type=checkbox]').first().uncheck();
  await page.waitForTimeout(800);
  await page.locator('.jupyter-button').first().click();
  await page.waitForTimeout(1500);
  const shown = await page.locator('.widget-html').first().innerText();
  check('a button shows what the form holds', shown.includes('Grace|two <b>|false'), JSON.stringify(shown));

  await run('s := display.IntSlider("k", 0, 9, 5)\ns');
  place = await run('s.OnChange(func(v any) { fmt.Println("now", v) })');
  await press(page.locator('.ui-slider-handle').last(), 'ArrowLeft', 1);
  check('a listener prints into its own cell', (await texts(place)).includes('now 4'), await texts(place));
  check('the value is the program\'s', (await texts(await run('s.Int()'))) === '4');
  if (shots) await page.screenshot({ path: path.join(shots, 'widgets.png'), fullPage: true });

  await page.evaluate(() => window.Jupyter.notebook.save_notebook());
  await page.waitForTimeout(1500);
  await page.reload();
  await page.waitForTimeout(6000);
  // The extension draws again what was shown, not what was a cell's value: two
  // of the three sliders.
  const again = await page.locator('.ui-slider').count();
  check('a page that is loaded again has its sliders', again === 2, String(again));
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fathom-widgets-'));
fs.writeFileSync(path.join(dir, 'a.ipynb'), JSON.stringify({ cells: [], nbformat: 4, nbformat_minor: 5,
  metadata: { kernelspec: { name: 'fathom', display_name: 'Go (Fathom)', language: 'go' } } }));
const { server, port } = await serve(dir);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 1500 } });
  await page.goto(`http://127.0.0.1:${port}/notebooks/a.ipynb?token=${token}`);
  await page.waitForFunction(() => window.Jupyter && window.Jupyter.notebook && window.Jupyter.notebook.kernel
    && window.Jupyter.notebook.kernel.is_connected(), null, { timeout: 60000 });
  await page.waitForTimeout(2500);
  await session(page);
} catch (e) {
  check('the session goes through', false, String(e).slice(0, 300));
} finally {
  await browser.close();
  server.kill();
  fs.rmSync(dir, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
