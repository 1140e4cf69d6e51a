// Plays a match with two tabs of headless Chromium.
//   node play_test.mjs PLAYWRIGHT ADDRESS EXPECTED      EXPECTED: {"chromium", "key", "password"}
// With EXPECTED.via it plays through the gateway of that address. Prints "playing" when both tabs play, "played" when the match may
// end, and at last "tick=TICK root=ROOT" of the end, which both saw.
// With LOCKSTEP_SHOTS=DIR it also writes the pictures of docs/web.md to that folder.
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';
import { faintWords } from './contrast.mjs';
import { fewFrames } from './few_frames.mjs';

const [playwright, address, json] = process.argv.slice(2), shots = process.env.LOCKSTEP_SHOTS, expected = JSON.parse(json);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath: expected.chromium, args: ['--no-sandbox'], timeout: 300000 });
const troubles = [];
process.on('exit', code => code && console.error(troubles.join('\n'))); // a part of a page that did not arrive ends no wait

async function makeTab(viewport, options = {}) {
    const context = await browser.newContext({ viewport, colorScheme: 'dark', ...options });
    context.setDefaultTimeout(300000);
    await fewFrames(context);
    return watch(await context.newPage());
}

function watch(page) {
    page.on('console', message => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
    page.on('pageerror', error => troubles.push(error.stack));
    return page;
}

const link = (more = '') => `${address}play.html#sim=skirmish&key=${expected.key}${expected.via ? `&via=${expected.via}` : ''}${more}`;
const facts = page => page.evaluate(() => ({ ...document.getElementById('status').dataset }));
const waitFor = (page, check, value) => page.waitForFunction(check, value, { polling: 50 });
const failure = async page => {
    await page.waitForSelector('#failure', { state: 'visible' });
    return (await page.textContent('#failure')).trim();
};

async function enter(page, name, password = expected.password) {
    await page.fill('#name', name);
    await page.fill('#password', password);
    await page.click('#join');
}
const plays = page => waitFor(page, () => document.getElementById('seat').textContent && Number(document.getElementById('status').dataset.tick) > 0);

const desktop = await makeTab({ width: 1280, height: 800 });
const phone = await makeTab({ width: 390, height: 780 }, { hasTouch: true, isMobile: true, deviceScaleFactor: 2 });

// As in a browser whose data channels stay in the page.
await phone.addInitScript(() => {
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (data, moved) {
        if (moved?.some(one => one instanceof RTCDataChannel))
            throw new DOMException('a data channel cannot be moved', 'DataCloneError');
        postMessage.call(this, data, moved ?? []);
    };
});

// A wrong password and no token are refused with a sentence.
await phone.goto(link());
await enter(phone, 'Eve', 'not the password');
assert.match(await failure(phone), /^The server answers, but refuses: the password is wrong/);
await phone.fill('#password', '');
await phone.click('summary');
await phone.fill('#token', 'no token');
await phone.click('#join');
assert.match(await failure(phone), /^This is no connect token: /);
await phone.fill('#token', '');
// Another key than the link's.
await desktop.goto(`${address}play.html#sim=skirmish&key=${'A'.repeat(43)}`);
await enter(desktop, 'Ann');
assert.match(await failure(desktop), /key/);

await desktop.goto('about:blank');
await desktop.goto(link());
await enter(desktop, 'Ann');
await enter(phone, 'Bob');
await plays(desktop);
await plays(phone);
assert.equal(await desktop.getAttribute('#sound', 'aria-pressed'), 'true');
console.log('playing');
const [first, second] = [await facts(desktop), await facts(phone)];
assert.notEqual(first.player, second.player);

// A third finds no seat, and is told what to do; then it watches.
const third = await makeTab({ width: 844, height: 390 }, { hasTouch: true, isMobile: true });
await third.goto(link());
await enter(third, 'Eve');
assert.match(await failure(third), /^The server refuses: all seats are taken\. A seat that a player has left may be kept for a minute: try again then, or watch\.$/);
assert.deepEqual([await third.textContent('#heading'), await third.textContent('#join')], ['The match is full', 'Try again']);
await third.tap('#watch');
await plays(third);
assert.equal(await third.textContent('#seat'), 'You watch this match, without a seat');
const [cards, map] = await Promise.all(['#players', '#map'].map(id => third.locator(id).boundingBox()));
assert.ok(cards.height < map.height / 8, JSON.stringify([cards, map]));
if (shots)
    await third.screenshot({ path: `${shots}/play-watching.png` });
await third.context().close();

// Orders: by key and click, and by touch. The first one has a hint.
assert.match(await desktop.textContent('#hint'), /click or tap where it is to attack/);
await desktop.keyboard.press('a');
await desktop.mouse.click(640, 380);
await waitFor(desktop, () => document.getElementById('hint').textContent === '');
await phone.tap('#all');
await phone.touchscreen.tap(195, 300);
await waitFor(desktop, () => Number(document.getElementById('status').dataset.tick) > 200);
if (shots) {
    await desktop.screenshot({ path: `${shots}/web-play.png` });
    await phone.screenshot({ path: `${shots}/web-play-phone.png` });
}

// A drag that the system ends leaves no box.
await desktop.mouse.move(500, 300);
await desktop.mouse.down();
await desktop.mouse.move(560, 360);
await desktop.waitForSelector('#box', { state: 'visible' });
await desktop.evaluate(() => document.getElementById('map').dispatchEvent(new PointerEvent('pointercancel', { pointerId: 1 })));
await desktop.waitForSelector('#box', { state: 'hidden' });
await desktop.mouse.up();

// What tells whose army this is can be read in both schemes.
assert.deepEqual(await faintWords(desktop, '#seat b, #groups button[aria-pressed=true] small', 2), []);

// A reload keeps the seat.
await phone.reload();
await plays(phone);
assert.equal((await facts(phone)).player, second.player);
// A second tab with the same seat takes it over, and the first one says so.
const seat = await phone.evaluate(() => sessionStorage.getItem('lockstep-seat'));
const twin = watch(await phone.context().newPage());
await twin.addInitScript(text => sessionStorage.setItem('lockstep-seat', text), seat);
await twin.goto(link());
assert.match(await failure(phone), /another session/);
assert.equal(await phone.textContent('#heading'), 'You play in another tab or window');
await plays(twin);
assert.equal((await facts(twin)).player, second.player);

const heard = page => page.evaluate(() => Number(document.getElementById('sound').dataset.begun ?? 0));
await waitFor(desktop, () => document.getElementById('sound').dataset.begun > 0);
await desktop.keyboard.press('m');
const quiet = await heard(desktop);

for (const page of [desktop, twin])
    await waitFor(page, () => Number(document.getElementById('status').dataset.roots) > 100);
console.log('played');

const ends = [];
for (const page of [desktop, twin]) {
    const said = await failure(page), end = await facts(page);
    assert.match(said, new RegExp(`the match ended at tick ${end.tick}`, 'i'));
    assert.equal(end.desyncs, '0');
    ends.push(`tick=${end.tick} root=${end.root}`);
}
assert.equal(ends[0], ends[1]);
assert.equal(await heard(desktop), quiet);
assert.equal(await heard(twin), 0); // it had no click and no key
assert.deepEqual(troubles, []);
await browser.close();
console.log(ends[0]);
