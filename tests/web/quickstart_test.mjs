// Opens the page that a URL leads to, plays in it against the bots, and gives an order.
//   node quickstart_test.mjs PLAYWRIGHT CHROMIUM URL
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';

const [playwright, executablePath, url] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 300000 });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } }), troubles = [];
page.setDefaultTimeout(300000);
page.on('console', message => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
page.on('pageerror', error => troubles.push(error.stack));
const after = tick => page.waitForFunction(least => document.getElementById('seat').textContent &&
    Number(document.getElementById('status').dataset.tick) > least, tick, { polling: 50 });

await page.goto(url);
await page.click('#join');
await after(20);
await page.keyboard.press('a');
await page.mouse.click(640, 380);
await after(60);
const { desyncs, roots } = await page.evaluate(() => ({ ...document.getElementById('status').dataset }));
assert.equal(desyncs, '0');
assert.ok(Number(roots) > 0);
assert.deepEqual(troubles, []);
await browser.close();
