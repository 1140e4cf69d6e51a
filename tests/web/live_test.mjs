// Follows a running match with the viewer in headless Chromium.
//   node live_test.mjs PLAYWRIGHT ADDRESS EXPECTED      EXPECTED: {"chromium", "key"}
// Prints "seen live", after which the match may end, and at last "tick=TICK root=ROOT" of its end.
// With LOCKSTEP_SHOTS=DIR it also writes the picture of docs/web.md to that folder.
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';
import { fewFrames } from './few_frames.mjs';

const [playwright, address, json] = process.argv.slice(2), shots = process.env.LOCKSTEP_SHOTS, expected = JSON.parse(json);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath: expected.chromium, args: ['--no-sandbox'], timeout: 300000 });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
context.setDefaultTimeout(300000);
await fewFrames(context);
const page = await context.newPage(), troubles = [], asked = new Map();
page.on('console', message => ['error', 'warning'].includes(message.type()) && !/404/.test(message.text()) && troubles.push(message.text()));
page.on('pageerror', error => troubles.push(error.stack));
page.on('request', request => asked.set(request.url(), (asked.get(request.url()) ?? 0) + 1));

const text = id => page.textContent(`#${id}`);
const waitFor = (check, value) => page.waitForFunction(check, value, { polling: 50 });
const says = (id, wanted) => waitFor(([at, pattern]) => new RegExp(pattern).test(document.getElementById(at).textContent), [id, wanted]);
const number = async id => Number(await page.inputValue(`#${id}`));

// A new page each time.
async function goTo(room) {
    await page.goto('about:blank');
    await page.goto(`${address}#live=${room}`);
}

// Until a match is published.
async function open() {
    for (const end = Date.now() + 300000; Date.now() < end;) {
        await goTo('~');
        const shown = await Promise.race([page.waitForSelector('#golive', { state: 'visible' }).then(() => true),
            page.waitForSelector('#error', { state: 'visible' }).then(() => false)]);
        if (shown)
            return;
        assert.equal(await text('error'), 'No match is published: it has not begun, or has ended.');
    }
}

await open();
await says('golive', '^● live$');
const tick = await number('tick'), last = Number(await text('last'));
await waitFor(([a, b]) => document.getElementById('tick').value > a + 240 && Number(document.getElementById('last').textContent) > b + 240,
    [tick, last]);
await waitFor(() => Number(document.getElementById('last').textContent) - document.getElementById('tick').value < 12 * 60);
await says('proof', `^signed through tick \\d\\d+ by ${expected.key.replace(/[+]/g, '\\+')}, \\d+ of \\d+ roots re-simulated here$`);
assert.equal(await page.getAttribute('#proof', 'aria-busy'), 'true');
if (shots)
    await picture();

// The schedule is measured in ticks that came after it was opened, too.
await page.press('body', 's');
await waitFor(opened => /around tick (\d+)/.exec(document.getElementById('tickcost').textContent)?.[1] > opened, Number(await text('last')) + 120);
await waitFor(ticks => /measured in (\d+)/.exec(document.getElementById('tickcost').textContent)[1] !== ticks, /measured in (\d+)/.exec(await text('tickcost'))[1]);
await page.press('body', 's');

// The match goes on while a second recording is opened beside it.
await compare();

async function compare() {
    const other = await context.newPage(), [, match, segments] = /match=(\S+) segments=(\d+)/.exec(await (await fetch(`${address}live/~/live`)).text());
    other.on('pageerror', error => troubles.push(error.stack));
    const parts = await Promise.all(Array.from({ length: segments }, async (unused, at) => Buffer.from(await (await fetch(`${address}live/~/${match}-${at}.seg`)).arrayBuffer())));
    await other.goto(`${address}#live=~`);
    await other.waitForSelector('#golive', { state: 'visible' });
    const before = Number(await other.textContent('#last'));
    await other.evaluate(() => {
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (data) {
            setTimeout(() => post.call(this, data), data.second ? 5000 : 0);
        };
    });
    await other.setInputFiles('#file2', { name: 'second.lsr', mimeType: 'application/octet-stream', buffer: Buffer.concat(parts) });
    await other.waitForSelector('#map2', { state: 'visible' });
    await other.press('body', 'End');
    await other.waitForFunction(() => document.getElementById('tick').value === document.getElementById('last').textContent, null, { polling: 50 });
    assert.ok(Number(await other.textContent('#last')) > before);
    await other.close();
}

async function picture() {
    await page.screenshot({ path: `${shots}/web-live.png` });
    await page.setViewportSize({ width: 390, height: 780 });
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${shots}/web-live-phone.png` });
    await page.setViewportSize({ width: 1280, height: 800 });
}

// Back to the first tick, when that is no longer live, and to the newest again.
await waitFor(far => Number(document.getElementById('last').textContent) > far, 14 * 60);
await page.press('body', 'Home');
await says('golive', '^Go to live$');
await page.click('#golive');
await says('golive', '^● live$');
console.log('seen live');
await says('golive', '^Match ended$');
const ticks = Number(await text('last'));
await page.press('body', 'End');
await waitFor(end => document.getElementById('tick').value === String(end), ticks);
await says('proof', `^signed through tick ${ticks - 1} by .*, ${ticks + 1} of ${ticks + 1} roots re-simulated here$`);
assert.equal(await page.getAttribute('#proof', 'class'), 'good');
const root = await text('root');
for (const [url, times] of asked)
    assert.ok(!url.endsWith('.seg') || times === 1, `${url}: ${times} times`);

for (const [room, pattern] of Object.entries({ 'gr~c3~bcn_~e2~82~ac': /^No match is published in room grün_€: /, words: /^The server’s answer does not describe a running match\.$/,
    newer: /^The match is published by another version of Lockstep\.$/, large: /^This match is longer than 1 GiB/,
    short: /^The segments of this match are longer than its manifest says\.$/, text: /^This file is not a Lockstep recording/,
    enormous: /^The manifest of this match is damaged: /, path: /^The manifest of this match is damaged: /,
    promising: /^The segments of this match have 4 bytes, and their manifest says 9\.$/, empty: /^Nothing of the match in room empty is published yet: open this link again later\.$/,
    missing: /^The server lacks other-0\.seg, a part of this match that its manifest names\.$/,
    cut: /^The server of the match in room cut has broken off m-0\.seg: open this link again later\.$/,
    endless: /^The segments of this match are longer than its manifest says\.$/,
    early: /^The server says that the match has ended, but its broadcast ends at byte \d+ .*: ask the operator/,
    changed: /^The server says that the match has ended, but its broadcast is damaged at byte \d+, after tick \d+: ask the operator/ })) {
    await goTo(room);
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await text('error'), pattern, room);
}
await goTo('early');
await says('golive', '^Broadcast ended$');

// A match that is left while its first segments come: no more are asked for.
let segments = 0;
await page.route('**/live/long/*', route => {
    const isSegment = route.request().url().endsWith('.seg');
    segments += isSegment;
    return route.fulfill({ body: isSegment ? 'x' : 'lockstep-live 1\nmatch=m segments=20 bytes=20 state=live\n' });
});
await page.evaluate(async () => {
    const { Live } = await import('./live.js'), match = new Live('long');
    match.get = (name, most) => {
        if (name !== 'live')
            match.leave();
        return Live.prototype.get.call(match, name, most);
    };
    await match.poll();
});
assert.equal(segments, 6);
await page.unroute('**/live/long/*');

// A match of which nothing comes any more, and one whose server is away for a while.
await goTo('still');
await says('golive', '^No new ticks for \\d+ s$');
await page.route('**/live/still/live', route => route.abort());
await says('golive', '^Server away$');
await says('error', '^The server of the match in room still does not answer; this page asks again every second\\.$');
await page.unroute('**/live/still/live');
await page.waitForSelector('#error', { state: 'hidden' });
await page.route('**/live/still/live', route => route.fulfill({ status: 502 }));
await says('error', '^The server of the match in room still answers 502; this page asks again every second\\.$');
await page.unroute('**/live/still/live');
await page.waitForSelector('#error', { state: 'hidden' });
await says('golive', '^No new ticks for \\d+ s$');
// A page that has seen nothing of the match does not ask again.
await page.route('**/live/still/live', route => route.abort());
await goTo('still');
await says('error', '^The server of the match in room still does not answer: open this link again later\\.$');
troubles.splice(0, troubles.length, ...troubles.filter(each => !/ERR_FAILED|ERR_CONTENT_LENGTH_MISMATCH|502/.test(each)));
assert.deepEqual(troubles, []);
await browser.close();
console.log(`tick=${ticks} root=${root}`);
