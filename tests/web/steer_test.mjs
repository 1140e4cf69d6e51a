// Sails in a match of the regatta: with keys in one tab, with a finger in another.
//   node steer_test.mjs PLAYWRIGHT CHROMIUM URL
// Prints "players KEYS FINGER", the seats, and at last "tick=TICK root=ROOT" of the end, which both saw. With
// LOCKSTEP_SHOTS=DIR it also writes the picture of docs/web.md to that folder.
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';

const [playwright, executablePath, url] = process.argv.slice(2), shots = process.env.LOCKSTEP_SHOTS;
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 300000 });
const troubles = [];

async function enter(viewport, options) {
    const page = await (await browser.newContext({ viewport, ...options })).newPage();
    page.setDefaultTimeout(300000);
    page.on('console', message => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
    page.on('pageerror', error => troubles.push(error.stack));
    await page.goto(url);
    await page.click('#join');
    return page;
}
const facts = page => page.evaluate(() => ({ ...document.getElementById('status').dataset }));
const after = (page, tick) => page.waitForFunction(least => document.getElementById('seat').textContent &&
    Number(document.getElementById('status').dataset.tick) > least, tick, { polling: 50 });

const keys = await enter({ width: 1280, height: 800 }, { colorScheme: 'dark' });
const finger = await enter({ width: 390, height: 780 }, { hasTouch: true, isMobile: true });
for (const page of [keys, finger])
    await after(page, 0);
console.log(`players ${(await facts(keys)).player} ${(await facts(finger)).player}`);

// A finger that stays on the water, at the side.
const { x, y, width, height } = await finger.locator('#map').boundingBox();
const devtools = await finger.context().newCDPSession(finger);
const touch = (type, touchPoints) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
await touch('touchStart', [{ x: x + width * 0.5, y: y + height * 0.45 }]);
await keys.keyboard.down('ArrowUp');
await after(keys, 100);
await keys.keyboard.down('ArrowLeft');
await after(keys, 160);
await keys.keyboard.up('ArrowLeft');
await touch('touchMove', [{ x: x + width * 0.7, y: y + height * 0.5 }]);
await after(keys, 260);
if (shots)
    await keys.screenshot({ path: `${shots}/web-steer.png` });
// Back only; then nothing: another window has the keys.
await keys.keyboard.up('ArrowUp');
await keys.keyboard.down('s');
await after(keys, 300);
await keys.evaluate(() => window.dispatchEvent(new Event('blur')));
await touch('touchEnd', []);

const ends = [];
for (const page of [keys, finger]) {
    await page.waitForSelector('#failure', { state: 'visible' });
    assert.match(await page.textContent('#failure'), /the match ended/i);
    const end = await facts(page);
    assert.equal(end.desyncs, '0');
    ends.push(`tick=${end.tick} root=${end.root}`);
}
assert.equal(ends[0], ends[1]);
assert.deepEqual(troubles, []);
await browser.close();
console.log(ends[0]);
