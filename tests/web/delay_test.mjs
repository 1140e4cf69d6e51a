// Plays in one tab for some seconds, and prints how late the ticks were.
//   node delay_test.mjs PLAYWRIGHT CHROMIUM URL SECONDS
import { createRequire } from 'node:module';

const [playwright, executablePath, url, seconds] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 300000 });
// A small picture, since Chromium without a graphics card draws on the processor that also takes the packets.
const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
page.setDefaultTimeout(120000);
await page.goto(url);
await page.click('#join');
await page.waitForFunction(() => Number(document.getElementById('status').dataset.tick) > 0, undefined, { polling: 50 });
await page.waitForTimeout(1000 * seconds);
const facts = await page.evaluate(() => ({ ...document.getElementById('status').dataset }));
await browser.close();
console.log(JSON.stringify(facts));
