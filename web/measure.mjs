// Measures verify speed in Chromium beside that of the program, and the viewer's frame rate. Needs build/web/site and
// build/playwright (scripts/fetch-playwright).
//   node web/measure.mjs LOCKSTEP RUNS RECORDING...       prints one row of a table for each; the best of all runs counts
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';

const PLAY_MS = 6000;
const [lockstep, runs, ...recordings] = process.argv.slice(2);
const root = join(import.meta.dirname, '..'), site = join(root, 'build/web/site');
const { chromium } = createRequire(import.meta.url)(join(root, 'build/playwright/node_modules/playwright-core'));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
const server = createServer((request, answer) => {
    const file = join(site, basename(request.url === '/' ? 'index.html' : request.url));
    answer.writeHead(existsSync(file) ? 200 : 404, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    answer.end(existsSync(file) ? readFileSync(file) : '');
}).listen(0, '127.0.0.1');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

function native(path) {
    const said = execFileSync(lockstep, ['verify', '--threads', '1', path], { encoding: 'utf8' });
    return Number(/ticks_per_second=(\d+)/.exec(said)[1]);
}

// A page opens the recording, proves it, and then plays it at the match's speed.
async function inBrowser(path, plays) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(600000);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.setInputFiles('#file', path);
    await page.waitForFunction(() => document.getElementById('proof').dataset.ms > 0, null, { polling: 100 });
    const ticks = Number(await page.textContent('#last')), ms = Number(await page.getAttribute('#proof', 'data-ms'));
    const rate = plays ? await page.evaluate(async playMs => {
        document.getElementById('play').click();
        const began = performance.now();
        let frames = 0;
        while (performance.now() - began < playMs) {
            await new Promise(requestAnimationFrame);
            frames++;
        }
        return 1000 * frames / (performance.now() - began);
    }, PLAY_MS) : 0;
    await page.close();
    return { speed: Math.round(1000 * ticks / ms), rate };
}

console.log('| recording | Chromium, ticks/s | native, ticks/s | share | frames/s |\n| --- | --- | --- | --- | --- |');
for (const path of recordings) {
    let here = 0, there = 0, frames = 0;
    for (let run = 0; run < Number(runs); run++) {
        there = Math.max(there, native(path));
        const { speed, rate } = await inBrowser(path, run === 0);
        here = Math.max(here, speed);
        frames = Math.max(frames, rate);
    }
    console.log(`| \`${basename(path)}\` | ${here} | ${there} | ${Math.round(100 * here / there)} % | ${Math.round(frames)} |`);
}
await browser.close();
server.close();
