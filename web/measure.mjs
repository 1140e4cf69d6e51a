// Measures verify speed in Chromium beside that of the program, and the viewer's frame rate. Needs build/web/site and
// build/playwright (scripts/fetch-playwright).
//   node web/measure.mjs LOCKSTEP RUNS RECORDING...       prints one row of a table for each; the best of all runs counts
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';

const PLAY_MS = 6000, TIMES = 4;
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
    // The first time, the browser still compiles the module's functions while they run.
    const speeds = [];
    for (let time = 0; time < TIMES; time++) {
        await page.evaluate(() => delete document.getElementById('proof').dataset.ms);
        await page.setInputFiles('#file', path);
        await page.waitForFunction(() => document.getElementById('proof').dataset.ms > 0, null, { polling: 100 });
        speeds.push(Math.round(1000 * await page.textContent('#last') / await page.getAttribute('#proof', 'data-ms')));
    }
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
    return { first: speeds[0], warm: Math.max(...speeds), rate };
}

const columns = ['recording', 'Chromium, first time, ticks/s', 'again', 'native', 'share, first time', 'again', 'frames/s'];
console.log(`| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`);
for (const path of recordings) {
    let first = 0, again = 0, there = 0, frames = 0;
    for (let run = 0; run < Number(runs); run++) {
        there = Math.max(there, native(path));
        const speed = await inBrowser(path, run === 0);
        first = Math.max(first, speed.first);
        again = Math.max(again, speed.warm);
        frames = Math.max(frames, speed.rate);
    }
    const shares = [first, again].map(speed => `${Math.round(100 * speed / there)} %`);
    console.log(`| ${[`\`${basename(path)}\``, first, again, there, ...shares, Math.round(frames)].join(' | ')} |`);
}
await browser.close();
server.close();
