// The picture of README.md: a notebook as a newcomer sees it.
//
//   node kernel/e2e/screenshot.mjs NOTEBOOK.ipynb FILE.png [CELL-ID...]
//
// It needs what browser.mjs needs. The notebook is opened in the classic
// notebook with the outputs that it holds; nothing is run. With ids, only those
// cells are shown. The README's picture:
//
//   node kernel/e2e/screenshot.mjs notebooks/quickstart.ipynb notebooks/quickstart.png cities tour
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const require = createRequire(process.env.NODE_PATH ? path.join(process.env.NODE_PATH, 'x.js') : import.meta.url);
const { chromium } = require('playwright-core');
const [, , notebook, file, ...ids] = process.argv;
if (!file) {
  console.error('usage: node screenshot.mjs NOTEBOOK.ipynb FILE.png');
  process.exit(2);
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fathom-shot-'));
const document = JSON.parse(fs.readFileSync(notebook, 'utf8'));
if (ids.length) document.cells = document.cells.filter((c) => ids.includes(c.id));
fs.writeFileSync(path.join(dir, 'fathom.ipynb'), JSON.stringify(document));
const port = 18900 + process.pid % 1000;
const server = spawn('jupyter', ['notebook', '--no-browser', '--ip=127.0.0.1', `--port=${port}`,
  '--NotebookApp.token=shot', '--allow-root', `--notebook-dir=${dir}`], { stdio: 'ignore' });
let browser;
try {
  for (let i = 0; i < 120; i++) {
    const ok = await fetch(`http://127.0.0.1:${port}/api/status?token=shot`).then((r) => r.ok, () => false);
    if (ok) break;
    await new Promise((r) => setTimeout(r, 250));
  }
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const page = await browser.newPage({ viewport: { width: 940, height: 1230 } });
  await page.goto(`http://127.0.0.1:${port}/notebooks/fathom.ipynb?token=shot`);
  await page.waitForFunction(() => window.Jupyter?.notebook?.kernel?.is_connected(), null, { timeout: 60000 });
  await page.waitForTimeout(3000);
  await page.addStyleTag({ content: '#maintoolbar, #header-container, #menubar { display: none !important } #header { box-shadow: none }' });
  // Jupyter shows the HTML of a notebook that it has not run as it would a
  // stranger's, without styles; this one is ours.
  await page.evaluate(() => {
    for (const cell of window.Jupyter.notebook.get_cells()) {
      const area = cell.output_area;
      if (!area) continue;
      const outputs = area.toJSON();
      area.clear_output();
      area.trusted = true;
      area.fromJSON(outputs, {});
    }
  });
  await page.evaluate(() => { window.Jupyter.notebook.select(0); window.dispatchEvent(new Event('resize')); document.querySelector('#site').scrollTop = 0; });
  await page.waitForTimeout(1000);
  await page.screenshot({ path: file });
} finally {
  if (browser) await browser.close();
  server.kill('SIGINT');
  setTimeout(() => server.kill('SIGKILL'), 3000).unref();
  await new Promise((r) => { if (server.exitCode !== null) r(); else server.once('exit', r); });
  fs.rmSync(dir, { recursive: true, force: true });
}
