// Steers the viewer of build/web/site in headless Chromium.
//   node viewer_test.mjs PLAYWRIGHT ADDRESS FOLDER      FOLDER: files to open, and expected.json
// With LOCKSTEP_SHOTS=DIR it also writes the pictures of docs/web.md to that folder.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';
import { faintWords } from './contrast.mjs';
import { fewFrames } from './few_frames.mjs';

const [playwright, address, folder] = process.argv.slice(2), shots = process.env.LOCKSTEP_SHOTS;
const { chromium } = createRequire(import.meta.url)(playwright);
const expected = JSON.parse(readFileSync(`${folder}/expected.json`));
const browser = await chromium.launch({ executablePath: expected.chromium, args: ['--no-sandbox'], timeout: 300000 });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
context.setDefaultTimeout(300000);
await fewFrames(context);
const page = await context.newPage(), troubles = [];
page.on('console', message => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
page.on('pageerror', error => troubles.push(error.stack));
const origins = [address, ...expected.watched].filter(url => url).map(url => new URL(url).origin);
page.on('request', request => assert.ok(/^(blob:|data:)/.test(request.url()) || origins.includes(new URL(request.url()).origin), request.url()));

const text = id => page.textContent(`#${id}`);
const shot = async name => shots && await page.screenshot({ path: `${shots}/${name}.png` });
const phoneShot = async name => {
    if (!shots)
        return;
    await page.setViewportSize({ width: 390, height: 780 });
    await page.waitForTimeout(500);
    await shot(name);
    await page.setViewportSize({ width: 1280, height: 800 });
};
const waitFor = (check, value) => page.waitForFunction(check, value, { polling: 50 });
const atTick = tick => waitFor(wanted => document.getElementById('tick').value === wanted &&
    document.getElementById('jumpto').value === wanted, String(tick));

// All words can be read in both schemes.
async function checkContrast(where, least = 20) {
    assert.deepEqual(await faintWords(page, 'body *', least), [], where);
    await page.emulateMedia({ colorScheme: 'dark' });
}

async function openFile(path) {
    await page.setInputFiles('#file', path);
    await page.waitForSelector('#busy', { state: 'hidden' });
}

async function goTo(tick) {
    await page.fill('#jumpto', String(tick));
    await page.press('#jumpto', 'Enter');
    await atTick(tick);
}

async function proved() {
    await waitFor(() => document.getElementById('proof').dataset.ms > 0);
    return text('proof');
}

async function checkRecording({ path, roots, last, key }) {
    await openFile(path);
    assert.equal(await text('last'), String(last));
    for (const tick of [300, 301, 120, last, 0]) {
        await goTo(tick);
        assert.equal(await text('root'), roots[tick], `tick ${tick}`);
    }
    await goTo(300);
    await page.click('#step');
    await atTick(301);
    assert.equal(await text('root'), roots[301]);
    await page.click('#back');
    await atTick(300);
    assert.equal(await text('root'), roots[300]);
    assert.equal(await proved(), `signed through tick ${last - 1} by ${key}, ${last + 1} of ${last + 1} roots re-simulated here`);
    assert.equal(await page.getAttribute('#proof', 'aria-busy'), 'false');
    assert.equal(await page.isVisible('#error'), false);
    assert.equal(await marks('--event'), 0);
    assert.equal(await marks('--accent', 0, 30), 0); // keyframes are short
    assert.ok(await marks('--accent', 30, 34) > 0);
}

// A paused page draws nothing until something changes.
async function checkStillPicture() {
    const drawn = button => page.evaluate(async id => {
        const { prototype } = CanvasRenderingContext2D, { clearRect } = prototype;
        let count = 0;
        prototype.clearRect = function (...area) {
            count += this.canvas.id === 'map';
            clearRect.apply(this, area);
        };
        await new Promise(resolve => setTimeout(resolve, 200));
        count = 0;
        document.getElementById(id)?.click();
        await new Promise(resolve => setTimeout(resolve, 500));
        prototype.clearRect = clearRect;
        return count;
    }, button);
    assert.equal(await drawn(''), 0);
    assert.ok(await drawn('closer') > 0);
    assert.ok(await drawn('step') > 0);
}

async function checkRefusals(files) {
    const title = await text('title');
    for (const { path, pattern } of files) {
        await openFile(path);
        const error = await text('error');
        assert.match(error, new RegExp(pattern), path);
        assert.match(error, /^[A-Z][^\n]*\.$/, path);
        assert.equal(await text('title'), title); // the recording before is still there
    }
}

// A torn recording plays up to its end.
async function checkTorn({ path }) {
    await openFile(path);
    assert.ok(Number(await text('last')) > 100);
    assert.match(await proved(), /^signed through .*; the file ends before the others$/);
    assert.match(await text('error'), /^This file ends at byte \d+ after tick \d+ \(not closed\); \d+ bytes of an incomplete record follow\.$/);
}

// The bytes that `lockstep replay repair` saves: the sentence has the command.
async function checkDamaged({ path }) {
    await openFile(path);
    assert.match(await text('error'), /^This file is damaged at byte \d+, .*`lockstep replay repair FILE`/);
}

// An entity that is chosen while the match plays, when each frame takes the place of the one before.
async function checkChoosingWhilePlaying({ left }) {
    await openFile(left);
    await goTo(20);
    await page.selectOption('#speed', '0.1');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(' ');
    for (let i = 0; i < 30; i++) {
        const entity = `army${1 + i % 2}/${11 + i}`;
        await page.evaluate(() => { // back, so that all still live on a busy machine, too
            const slider = document.getElementById('tick');
            if (slider.value > 60)
                Object.assign(slider, { value: 20 }).dispatchEvent(new Event('input'));
        });
        await choose(entity);
        await inspects(new RegExp(`^${entity}:\\d`));
        assert.equal(await text('found'), '', entity);
    }
    await page.click('#play');
    await page.keyboard.press('Escape');
    await page.selectOption('#speed', '1');
}

// A plain web server has an empty list, or none.
async function checkNoList() {
    const before = troubles.length;
    await page.goto('about:blank');
    await page.goto(`${address}#list=`, { waitUntil: 'networkidle' });
    await page.waitForSelector('#demos');
    assert.equal(await page.isVisible('#error'), false);
    assert.deepEqual(troubles.slice(before), []); // no 404: it has no running matches
    await page.route('**/recordings.json', route => route.fulfill({ status: 404 }));
    await page.goto('about:blank');
    await page.goto(`${address}#list=`);
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await text('error'), /^This server has no list of recordings: .*\.$/);
    await page.unroute('**/recordings.json');
    troubles.splice(0, troubles.length, ...troubles.filter(each => !/404/.test(each)));
    await page.goto('about:blank');
}

// A server that refuses is not one that lacks a file. The first screen has its list all the same.
async function checkRefusingServer() {
    await page.route('**/recordings.json', route => route.fulfill({ contentType: 'application/json', body: '{"recordings": [{"name": "one.lsr"}]}' }));
    await page.route('**/busy.lsr', route => route.fulfill({ status: 503, contentType: 'text/plain; charset=utf-8', body: 'too many files are being sent: ask again later\n' }));
    await page.route('**/away.lsr', route => route.abort());
    await page.route('**/regatta.wasm', route => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }));
    for (const [name, words] of [['busy', 'busy.lsr cannot be fetched: too many files are being sent: ask again later.'],
        ['away', 'away.lsr cannot be fetched: its server does not answer.'], ['regatta', 'regatta.wasm cannot be fetched: its server answers 502.']]) {
        await page.goto('about:blank');
        await page.goto(`${address}#f=${name}.lsr`);
        await page.waitForSelector('#error', { state: 'visible' });
        assert.equal(await text('error'), words);
        await page.waitForSelector('#list button:text-is("one.lsr")');
        assert.equal(await text('error'), words);
    }
    await page.unrouteAll();
    troubles.splice(0, troubles.length, ...troubles.filter(each => !/50[23]|ERR_FAILED/.test(each)));
    await page.goto('about:blank');
}

// What is pressed before the first state is there does nothing. A browser without memory for a file says so.
async function checkSlowStart({ left }) {
    await page.goto(address);
    await page.evaluate(() => {
        const post = Worker.prototype.postMessage;
        window.restore = () => { Worker.prototype.postMessage = post; };
        Worker.prototype.postMessage = function (data) {
            setTimeout(() => post.call(this, data), data.run === 'show' ? 1000 : 0);
        };
    });
    await page.setInputFiles('#file', left);
    await titled(left.split('/').at(-1));
    await page.evaluate(() => ['back', 'step', 'link', 'play'].forEach(id => document.getElementById(id).click()));
    await page.waitForSelector('#busy', { state: 'hidden' });
    await atTick(0);
    await page.evaluate(() => window.restore());
    await page.waitForSelector('#play[aria-label=Play]');
    const worker = readFileSync(`${expected.site}/worker.js`, 'utf8'), rest = 'Blob.prototype.arrayBuffer = async () => new ArrayBuffer(2 ** 52);';
    await page.route('**/worker.js', route => route.fulfill({ contentType: 'text/javascript', body: `${worker}\n${rest}` }));
    await openFile(left);
    assert.equal(await text('error'), 'This browser has too little memory for this file.');
    await page.unrouteAll();
}

// Art that fails to draw.
async function checkFailingArt() {
    await page.route('**/skirmish.web.js', route => route.fulfill({ contentType: 'text/javascript', body: 'export default { draw() { throw new Error("no brush"); } };' }));
    await page.goto('about:blank');
    await page.goto(`${address}#f=skirmish.lsr&t=300`);
    await page.waitForSelector('#error', { state: 'visible' });
    assert.equal(await text('error'), 'Skirmish is drawn as dots and marks, because skirmish.web.js fails: no brush.');
    await atTick(300);
    await waitFor(() => {
        const { width, height } = document.getElementById('map'), copy = new OffscreenCanvas(width || 1, height || 1).getContext('2d');
        if (width)
            copy.drawImage(document.getElementById('map'), 0, 0);
        return copy.getImageData(0, 0, width || 1, height || 1).data.some((part, at) => at % 4 === 3 && part === 255);
    });
    await page.unrouteAll();
    await page.goto('about:blank');
}

// Two plots at once, of which the first begins a worker; and one whose worker cannot read the file, which the next one can.
async function checkPlots({ left }) {
    const plots = page.locator('#inspector button[aria-label^=Plot]'), plotted = name => waitFor(wanted => document.getElementById('plotname').textContent === wanted
        && !document.getElementById('plot').hidden, name);
    const begin = async () => {
        await openFile(left);
        await choose('army2/17');
        await inspects(/^army2\/17:\d/);
    };
    await begin();
    const names = await plots.evaluateAll(all => all.map(each => /^Plot (\S+) /.exec(each.ariaLabel)[1]));
    await plots.evaluateAll(all => {
        all[0].click();
        all[1].click();
    });
    await plotted(`army2/17 ${names[1]}`);
    await page.waitForTimeout(300);
    assert.equal(await page.isVisible('#error'), false, await text('error'));
    await begin();
    await page.evaluate(() => {
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (data) {
            if (data.run === 'open')
                Worker.prototype.postMessage = post;
            post.call(this, data.run === 'open' ? { ...data, file: null } : data);
        };
    });
    await plots.first().click();
    await page.waitForSelector('#error', { state: 'visible' });
    assert.equal(await page.isVisible('#plot'), false);
    await plots.first().click();
    await plotted(`army2/17 ${names[0]}`);
    await page.click('#plotclose');
    await page.keyboard.press('Escape');
}

const titled = title => waitFor(wanted => document.getElementById('title').textContent === wanted, title);

// A list that is damaged is told, and the rest of the page works. The page of an error is no list.
async function checkDamagedLists({ left }) {
    const good = '{"recordings": [{"name": "50% #1?.lsr"}], "live": true}', path = '/recordings/50%25%20%231%3F.lsr';
    let shelf, rooms = '[]', status = 200;
    await page.route('**/recordings.json', route => route.fulfill({ status, contentType: 'application/json', body: shelf }));
    await page.route('**/live/rooms.json', route => route.fulfill({ contentType: 'application/json', body: rooms }));
    await page.route(url => url.pathname === path, route => route.fulfill({ path: left }));
    const open = async hash => {
        await page.goto('about:blank');
        await page.goto(`${address}${hash}`, { waitUntil: 'networkidle' });
    };
    for (shelf of ['{}', '[]', 'null', '{', '{"recordings": {}}', '{"recordings": [null]}', '{"recordings": [{"name": 1}]}', '{"recordings": [], "play": {}}']) {
        await open('');
        await page.waitForSelector('#error', { state: 'visible' });
        assert.equal(await text('error'), "The server's list is damaged.", shelf);
        assert.ok(await page.isVisible('#demos'));
    }
    shelf = good;
    for (rooms of ['{}', '[null]', '[{"room": 1}]', '[{"room": "~"}]']) {
        await open('');
        await page.waitForSelector('#error', { state: 'visible' });
        assert.equal(await text('error'), "The server's list is damaged.", rooms);
        assert.deepEqual(await page.locator('#list button').allTextContents(), ['50% #1?.lsr']);
    }
    // A name with all that has a meaning in an address.
    await page.click('#list button');
    await titled('recordings/50% #1?.lsr');
    assert.equal(await page.isVisible('#error'), false);
    [status, rooms] = [404, '[]'];
    await open('#list=');
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await text('error'), /^This server has no list of recordings: /);
    await page.unrouteAll();
    troubles.splice(0, troubles.length, ...troubles.filter(each => !/404/.test(each)));
    await page.goto('about:blank');
}

// The one that was chosen last is shown, whichever comes first. The page is busy until then.
async function checkOvertaking({ left }) {
    const arrive = {}, held = name => new Promise(resolve => (arrive[name] = resolve));
    const arrivals = { 'one.lsr': held('one.lsr'), 'two.lsr': held('two.lsr'), live: held('live') };
    const hold = async (route, answer) => {
        await arrivals[route.request().url().split('/').at(-1)];
        await route.fulfill(answer);
    };
    await page.route(/\/(one|two)\.lsr$/, route => hold(route, { path: left }));
    await page.route('**/live/here/live', route => hold(route, { body: 'no manifest' }));
    const choose = hash => page.evaluate(to => { location.hash = to; }, hash);
    const comes = async name => {
        const answer = page.waitForResponse(response => response.url().endsWith(`/${name}`));
        arrive[name]();
        await (await answer).finished();
        await page.waitForTimeout(300);
    };
    await page.goto('about:blank');
    await page.goto(address);
    for (const hash of ['#f=one.lsr', '#live=here', '#f=two.lsr']) {
        await choose(hash);
        await page.waitForSelector('#busy', { state: 'visible' });
        await page.waitForTimeout(100); // it is asked for
    }
    for (const name of ['one.lsr', 'live']) {
        await comes(name);
        assert.deepEqual([await text('title'), await page.isVisible('#busy'), await page.isVisible('#error')], ['Lockstep viewer', true, false], name);
    }
    await comes('two.lsr');
    await titled('two.lsr');
    await page.waitForSelector('#busy', { state: 'hidden' });
    // Back to the recording that is shown, while another one comes.
    arrivals['one.lsr'] = held('one.lsr');
    await choose('#f=one.lsr');
    await page.waitForSelector('#busy', { state: 'visible' });
    await page.waitForTimeout(100);
    await choose('#f=two.lsr&t=30');
    await atTick(30);
    await comes('one.lsr');
    assert.deepEqual([await text('title'), await page.isVisible('#busy')], ['two.lsr', false]);
    await page.unrouteAll();
}

// A file or a link that is refused leaves the link of the recording that stays.
async function checkLinkStays({ path }, { left }) {
    const hash = '#f=skirmish.lsr&t=330', isThere = () => waitFor(wanted => location.hash === wanted, hash);
    await page.route('**/bad.lsr', route => route.fulfill({ body: 'no recording' }));
    await page.goto('about:blank');
    await page.goto(`${address}${hash}`);
    await atTick(330);
    await openFile(path);
    await page.waitForSelector('#error', { state: 'visible' });
    await isThere();
    await page.evaluate(() => { location.hash = '#f=bad.lsr&t=5'; });
    await isThere();
    assert.match(await text('error'), /^This file /);
    await openFile(left);
    await waitFor(() => /^#t=\d+$/.test(location.hash));
    await page.unrouteAll();
    await page.goto('about:blank');
}

// The browser's Back leads from a file to the first screen. The link of a file has tick and entity only, and says so.
async function checkLocalLink({ left }) {
    await page.goto('about:blank');
    await page.goto(address);
    await openFile(left);
    await page.goBack();
    await page.waitForSelector('#welcome', { state: 'visible' });
    assert.equal(await page.title(), 'Lockstep viewer');
    await page.keyboard.press(' '); // nothing is there to play
    await page.goto(`${address}#t=300&e=army2/17`);
    await page.waitForSelector('#wanted', { state: 'visible' });
    await openFile(left);
    await atTick(300);
    await inspects(/^army2\/17:\d/);
    await page.click('#link');
    assert.equal(await text('link'), 'Only tick and entity are in it: give the file along');
    await page.goto(`${address}#f=skirmish.lsr&t=360`);
    await atTick(360);
    await page.click('#link');
    assert.equal(await text('link'), 'In the address bar');
}

// All that a finger presses is 40 pixels high and wide; cards of players and the list of keys leave the map its room.
async function checkTouch() {
    const touched = await browser.newContext({ viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true });
    touched.setDefaultTimeout(300000);
    const phone = await touched.newPage(), box = id => phone.locator(id).boundingBox();
    phone.on('pageerror', error => troubles.push(error.stack));
    await phone.goto(`${address}#f=skirmish.lsr&t=300&e=army2/17`);
    await phone.waitForSelector('#inspector td button');
    for (const size of [{ width: 844, height: 390 }, { width: 320, height: 568 }]) {
        await phone.setViewportSize(size);
        const small = await phone.locator('button:visible, select:visible, input:visible, summary:visible').evaluateAll(all => all
            .filter(each => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height) < 40)
            .map(each => each.outerHTML));
        assert.deepEqual(small, []);
        const [cards, map] = [await box('#players'), await box('#map')];
        assert.ok(cards.height < map.height / 5, JSON.stringify([cards, map]));
        if (shots)
            await phone.screenshot({ path: `${shots}/touch-${size.width}.png` });
        await phone.tap('#help');
        const keys = await box('#keys');
        assert.ok(keys.x >= 0 && keys.y >= 0 && keys.x + keys.width <= size.width && keys.y + keys.height <= size.height, JSON.stringify(keys));
        await phone.locator('#keys dd').last().scrollIntoViewIfNeeded();
        const last = await phone.locator('#keys dd').last().boundingBox();
        assert.ok(last.y + last.height <= keys.y + keys.height, JSON.stringify([last, keys]));
        if (shots)
            await phone.screenshot({ path: `${shots}/touch-keys-${size.width}.png` });
        await phone.tap('#help');
        assert.ok(await phone.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
    }
    await touched.close();
}

// The evidence of a desync opens at the state, the entity and the cell that differ, and shows both values.
async function checkBundle(path) {
    await openFile(path);
    const [, tick] = /^Desync before tick (\d+)Go there/.exec(await text('desync'));
    await atTick(Number(tick));
    const [place, server, client] = await page.locator('#desync tbody tr').first().evaluate(row => [...row.cells].map(cell => cell.textContent));
    const [, field, entity] = /\.(\w+).* of (\S+)$/.exec(place);
    await waitFor(wanted => document.querySelector('#inspector h2').textContent.startsWith(wanted), entity);
    const row = page.locator('#inspector tr.differs');
    assert.equal(await row.locator('th').textContent(), field);
    assert.match(await row.locator('td').textContent(), new RegExp(`${server}∿? ≠ ${client}$`));
    assert.ok(await row.evaluate(each => each.getBoundingClientRect().bottom <= document.querySelector('aside').getBoundingClientRect().bottom + 1));
    await page.waitForTimeout(500);
    await shot('web-desync');
    await checkContrast('a desync');
    const stepped = Math.min(Number(tick) + 1, Number(await text('last')));
    await page.click('#step');
    await atTick(stepped);
    await page.click('#back');
    await atTick(stepped - 1);
    await page.click('#desync h2 button');
    await atTick(Number(tick));
    await row.waitFor();
}

// How many pixels of the timeline have a colour of the page, between two heights.
const marks = (name, top = 0, bottom = 46) => page.evaluate(([colour, first, end]) => {
    const canvas = document.getElementById('marks'), copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, first, canvas.width, end - first);
    const wanted = getComputedStyle(canvas).getPropertyValue(colour).match(/[0-9a-f]{2}/g).map(part => parseInt(part, 16));
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
        count += wanted.every((part, i) => data[at + i] === part);
    return count;
}, [name, top, bottom]);

// The timeline has the events that systems sent, and what players did, which is a list of ticks to go to, too.
async function checkEvents() {
    await proved();
    assert.ok(await marks('--event') > 100);
    await page.waitForSelector('#playerevents button', { state: 'attached' }); // they come after the proof
    for (let tries = 0; tries < 100 && await marks('--text') <= 8; tries++)
        await page.waitForTimeout(100);
    assert.ok(await marks('--text') > 8);
    await page.click('#playerevents summary');
    assert.match(await text('playerevents'), /^Joins and leaves \(\d+\)tick 0 player 0 joinedtick 0 player 1 joined(tick \d+ player \d (left|joined))*$/);
    await page.click('#playerevents button >> nth=1');
    await atTick(0);
    await page.click('#playerevents summary');
}

// The colony's art: heights grow upwards, and the players' list has what each nest has.
async function checkColony(path) {
    await openFile(path);
    await goTo(310); // by day
    await drawn();
    const players = await page.locator('#players li').evaluateAll(all => all.map(each => each.textContent));
    assert.equal(players.length, 2);
    await checkEvents();
    await goTo(310);
    assert.ok(players.every(player => /^Player \d \d+ seeds, \d+ ants?$/.test(player)), players.join());
    await choose('NEST');
    await waitFor(() => /^2 entities/.test(document.getElementById('found').textContent));
    await page.click('#found button');
    await inspects(/\/\d+:\d/);
    assert.doesNotMatch(await inspected(), /reserved|, ,/);
    await page.keyboard.press('Escape');
    await shot('web-colony');
    assert.ok(await page.evaluate(() => [...document.querySelectorAll('#summary')].every(each => each.scrollWidth <= each.clientWidth)));
    await phoneShot('web-colony-phone');
    await page.route('**/colony.lsr', route => route.fulfill({ path }));
    const heights = await page.evaluate(async () => {
        const { Remote } = await import('./remote.js'), { artOf } = await import('./art.js'), worker = new Remote();
        const about = await worker.ask('open', { file: await (await fetch('colony.lsr')).blob() });
        await worker.ask('plan', { layers: (await artOf('colony')).layers(about) });
        const { layers } = await worker.ask('show', { tick: 310, step: 1, entity: null });
        worker.end();
        return layers.map(({ name, xy }) => [name, ...[Math.min, Math.max].map(most => Math.sign(most(...xy.filter((each, at) => at % 2))))]);
    });
    await page.unroute('**/colony.lsr');
    assert.deepEqual(heights, [['nest', 0, 0], ['room', 1, 1], ['physics.body', -1, 0]]);
}

// The art that a simulation of a user brings.
async function checkWalkers(path) {
    await openFile(path);
    await goTo(200);
    await drawn();
    const players = await page.locator('#players li').evaluateAll(all => all.map(each => each.textContent));
    assert.ok(players.length === 2 && players.every(player => /^Player \d \d+ hits$/.test(player)), players.join());
    assert.ok(await page.isHidden('#colouring'));
    await shot('web-walkers');
}

// Drags a file of the site over the map, and drops it on a part of the map's width.
async function drop(name, share) {
    const { x, width } = await page.locator('#stage').boundingBox(), data = { items: [], files: [`${expected.site}/${name}`], dragOperationsMask: 1 };
    const mouse = await page.context().newCDPSession(page), drag = (type, at) => mouse.send('Input.dispatchDragEvent', { type, x: at, y: 300, data });
    await drag('dragEnter', x + share * width);
    for (let step = 0; step < 6; step++)
        await drag('dragOver', x + share * width + step);
    assert.ok(await page.isVisible('#zones'));
    await drag('drop', x + share * width + 6);
    await mouse.detach();
}

async function openSecond(path) {
    await page.setInputFiles('#file2', path);
    await page.waitForSelector('#busy', { state: 'hidden' });
}

const inspects = pattern => waitFor(source => new RegExp(source).test(document.querySelector('#inspector h2').textContent), pattern.source);
// Two pictures later the map is that of the last change.
const drawn = () => page.evaluate(async () => {
    for (let i = 0; i < 2; i++)
        await new Promise(requestAnimationFrame);
});
const says = pattern => waitFor(source => new RegExp(source).test(document.querySelector('#differing p')?.textContent), pattern.source);

// Two recordings beside each other: the first tick that differs and its cells are those of `lockstep replay diff`.
async function checkPair({ left, right, first, count, fields }) {
    await openFile(left);
    await choose('');
    await goTo(100);
    await openSecond(right);
    await atTick(first);
    await says(new RegExp(`^The roots differ from tick ${first} on\\. ${count} cells differ before tick ${first}(, the first 200 are)?:`));
    const rows = await page.locator('#differing tbody tr').evaluateAll(all => all.map(row => [...row.cells].map(cell => cell.textContent)));
    assert.equal(rows.length, Math.min(200, count));
    const isListed = field => rows.some(row => JSON.stringify(row) === JSON.stringify(field));
    assert.ok(fields.length > 10 && fields.slice(0, 100).every(isListed), JSON.stringify(rows.slice(0, 9)));
    const [place, one, other] = fields[0], entity = place.split(' of ')[1];
    await page.click(`#differing button:text-is("${entity}")`);
    await waitFor(wanted => document.querySelector('#inspector h2').textContent.startsWith(wanted), entity);
    assert.match(await text('inspector'), new RegExp(`${one}∿? ≠ ${other}`));
    await page.click('#back');
    await says(/No cell differs before tick \d+\.$/);
    await goTo(first + 8);
    await says(new RegExp(`Go there \\d+ cells differ before tick ${first + 8}`));
    await waitFor(() => document.getElementById('proof2').dataset.ms > 0);
    assert.equal(await text('proof2'), 'right.lsr: not signed, 601 of 601 roots re-simulated here');
    await proved();
    await page.waitForTimeout(500);
    assert.ok((await page.locator('#differing thead').boundingBox()).height < 30); // one line
    assert.equal(await page.inputValue('#query'), '');
    await shot('web-compare');
    await phoneShot('web-compare-phone');
    await checkContrast('a comparison', 100);
    await openSecond(left);
    await says(/^The roots of all 601 common ticks are equal\. No cell differs before tick \d+\.$/);
    await openSecond(expected.recordings.find(({ path }) => path.endsWith('regatta.lsr')).path);
    assert.equal(await text('error'), "The first file is of the simulation 'skirmish', the second of 'regatta': give two of one simulation.");
    await openSecond(expected.refused[1].path);
    assert.match(await text('error'), new RegExp(expected.refused[1].pattern));
    await goTo(560);
    await page.keyboard.press(' '); // plays on, as if the bad files had not been
    await atTick(600);
    await page.click('#compareend');
    await page.waitForSelector('#map2', { state: 'hidden' });
    await goTo(50);
}

const inspected = () => text('inspector');

async function choose(entity) {
    await page.fill('#query', entity);
    await page.press('#query', 'Enter');
}

// An entity that lives on the right only, and two of different generations in one slot.
async function checkLives({ left, right, lonely, twofold }) {
    await openFile(left);
    await openSecond(right);
    await goTo(600);
    await choose(lonely);
    await inspects(/\(only on the right\)/);
    assert.match(await inspected(), /Positionxnone ≠ /);
    await choose(twofold);
    await inspects(new RegExp(`^${twofold.split(':')[0]}:\\d+Follow`));
    assert.match(await inspected(), / ≠ /);
    await page.click('#compareend');
    await waitFor(() => !document.querySelector('#inspector .other')); // the panel is that of one recording
    await page.keyboard.press('Escape');
}

// The right one diverges at tick 330, and play stops. A short one stays at its end.
async function checkDivergence({ left, wrong, short }) {
    await page.route('**/wrong.lsr', route => route.fulfill({ path: wrong }));
    await page.goto('about:blank');
    await page.goto(`${address}#f=skirmish.lsr&t=310&with=wrong.lsr`);
    await says(/before tick 310/);
    await page.keyboard.press(' ');
    await page.waitForSelector('#error', { state: 'visible' });
    await page.waitForSelector('#play[aria-label=Play]');
    assert.match(await text('error'), /^wrong\.lsr: diverged before tick 330/);
    assert.ok(Number(await page.inputValue('#tick')) < 340);
    await page.unroute('**/wrong.lsr');
    await page.click('#compareend');
    await openSecond(short);
    await goTo(500);
    await says(/cells differ between tick 500 on the left and tick 300 on the right(, the first 200 are)?:$/);
    assert.equal(await text('name2'), 'short.lsr, tick 300');
    await openFile(left);
}

// The worker's differences are of the tick asked for, whatever it was asked before.
async function checkDifferences({ left, short }) {
    await page.route('**/made/*', route => route.fulfill({ path: route.request().url().endsWith('short.lsr') ? short : left }));
    const found = await page.evaluate(async () => {
        const { Remote } = await import('./remote.js'), worker = new Remote();
        const get = async name => (await fetch(`made/${name}`)).blob();
        await worker.ask('open', { file: await get('left.lsr'), second: await get('short.lsr') });
        await worker.ask('show', { tick: 600, step: 1, entity: null });
        const all = [await worker.ask('differences', { tick: 50 }), await worker.ask('differences', { tick: 600 }), await worker.ask('differences')];
        worker.end();
        return all.map(({ tick, otherTick, cells }) => [tick, otherTick, cells[0]?.left, cells[0]?.right]);
    });
    await page.unroute('**/made/*');
    assert.deepEqual(found, [[50, 50, null, null], [600, 300, '600', '300'], [600, 300, '600', '300']].map(row => row.map(value => value ?? undefined)));
}

// An engine that fails while two are compared: the page says so, and goes on.
async function checkFailure({ left, right }) {
    await page.evaluate(() => {
        const post = Worker.prototype.postMessage;
        window.restore = () => { Worker.prototype.postMessage = post; };
        Worker.prototype.postMessage = function (data) {
            post.call(this, data.run === 'differences' ? { ...data, run: 'nothing' } : data);
        };
    });
    await openFile(left);
    await openSecond(right);
    await page.waitForSelector('#error', { state: 'visible' });
    await goTo(100);
    await page.evaluate(() => window.restore());
    await goTo(101);
    await says(/cells differ before tick 101(, the first 200 are)?:$/);
    await page.click('#compareend');
    await page.waitForSelector('#map2', { state: 'hidden' });
}

// Another recording opens while one plays and a frame of it is asked for.
async function checkOpeningWhilePlaying({ left, right }) {
    for (const path of [right, left, right, left]) {
        await goTo(0);
        await page.keyboard.press(' ');
        await waitFor(() => Number(document.getElementById('tick').value) > 5);
        await openFile(path);
        await goTo(30);
    }
}

async function checkLink() {
    await page.goto(`${address}#f=skirmish.lsr&t=360&e=army2/17`);
    await atTick(360);
    await inspects(/^army2\/17:\d/);
    assert.match(await text('inspector'), /^army2\/17:\d.*Health.*points/);
    assert.match(page.url(), /#f=skirmish\.lsr&t=360&e=army2\/17$/);
    await page.goto(`${address}#f=skirmish.lsr&t=330&with=skirmish.lsr`);
    await says(/^The roots of all 601 common ticks are equal\. No cell differs before tick 330\.$/);
    assert.match(page.url(), /&with=skirmish\.lsr$/);
    await page.goto('about:blank'); // the page's own link, opened anew
    await page.goto(`${address}#f=skirmish.lsr&t=330&with=skirmish.lsr`);
    await says(/^The roots of all 601 common ticks are equal\. No cell differs before tick 330\.$/);
    await page.evaluate(() => { location.hash = '#f=skirmish.lsr&t=331'; });
    await page.waitForSelector('#map2', { state: 'hidden' });
    await atTick(331);
    await page.route('**/bad.lsr', route => route.fulfill({ body: 'no recording' }));
    await page.evaluate(() => { location.hash = '#f=bad.lsr&with=skirmish.lsr'; });
    await page.waitForSelector('#error', { state: 'visible' });
    await page.waitForTimeout(500);
    assert.match(await text('error'), /^This file /);
    assert.equal(await page.isVisible('#map2'), false);
    await page.unroute('**/bad.lsr');
    await page.goto(`${address}#f=skirmish.lsr&t=330`);
    await atTick(330);
    await drop('regatta.lsr', 0.75);
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await text('error'), /the second of 'regatta': give two of one simulation/);
    await drop('skirmish.lsr', 0.75);
    await says(/^The roots of all 601 common ticks are equal/);
    assert.ok(await page.isHidden('#zones'));
    await drop('regatta.lsr', 0.25);
    await waitFor(() => document.getElementById('title').textContent === 'regatta.lsr');
    await page.waitForSelector('#differences', { state: 'hidden' });
    await page.goto(`${address}#f=skirmish.lsr&t=330`);
    await atTick(330);
    await page.evaluate(() => { location.hash = '#f=skirmish.lsr&t=340&e=army2/17'; });
    await atTick(340);
    await inspects(/^army2\/17:\d/);
    await goTo(360);
}

async function checkInspector() {
    await page.keyboard.press('f'); // the followed entity is in the middle
    await page.waitForSelector('#inspector button[aria-pressed=true]');
    for (let i = 0; i < 6; i++)
        await page.click('#closer');
    await drawn();
    await page.click('button[aria-label="Plot Position.x over time"]');
    await page.waitForSelector('#plot', { state: 'visible' });
    assert.equal(await text('plotname'), 'army2/17 Position.x');
    await proved();
    await page.waitForTimeout(1500);
    await shot('web-inspector');
    await phoneShot('web-inspector-phone');
    await checkContrast('an entity', 40);
    await page.click('#plotclose');
    await page.keyboard.press('Escape');
    await waitFor(() => document.querySelector('#inspector h2').textContent.startsWith('The world'));
    const { x, y, width, height } = await page.locator('#map').boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await waitFor(() => document.querySelector('#inspector h2').textContent.startsWith('army2/17:'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('Health.points > 1000');
    await page.keyboard.press('Enter');
    await waitFor(() => document.getElementById('found').textContent.startsWith('4 entities')); // the keeps
    await checkContrast('entities found', 40);
    await page.click('#found button');
    await waitFor(() => document.querySelector('#inspector h2').textContent.startsWith('army1/'));
    await choose('health.points > 1000');
    await waitFor(() => document.getElementById('found').textContent.startsWith('4 entities'));
    await choose('Health.points < abc');
    await waitFor(() => document.getElementById('found').textContent === 'abc is no value of Health.points: give a number.');
    await page.fill('#jumpto', 'abc');
    await page.press('#jumpto', 'Enter');
    await waitFor(() => document.getElementById('found').textContent === 'abc is no tick: give a number from 0 to 600.');
    assert.match(await page.inputValue('#jumpto'), /^\d+$/);
    await page.fill('#query', 'nonsense');
    await page.press('#query', 'Enter');
    await waitFor(() => document.getElementById('found').textContent.startsWith('Nothing is called nonsense'));
    await page.fill('#query', '');
    await page.press('#query', 'Enter');
    await waitFor(() => document.getElementById('found').textContent === '');
    await page.click('#inspector button[aria-label="Choose nothing"]');
}

// The schedule has the systems of `lockstep schedule graph`, each with a time; the keys and a click choose one.
async function checkSchedule(names) {
    await page.keyboard.press('s');
    await page.waitForSelector('#schedulekey[aria-expanded=true]');
    await waitFor(() => /^A tick takes [\d.]+ (µs|ms) here, measured in \d+ ticks around tick \d+\.$/.test(document.getElementById('tickcost').textContent));
    const labels = await page.locator('#picture .system').evaluateAll(systems => systems.map(system => system.ariaLabel));
    assert.deepEqual(labels.map(label => label.split(',')[0]), names);
    assert.ok(labels.every(label => /, [\d.]+ (µs|ms) a tick, [\d.]+ %$/.test(label)), labels.join('; '));
    const chosen = () => page.textContent('#system h2');
    await page.keyboard.press('ArrowDown'); // while the focus is elsewhere
    assert.equal(await chosen(), names[0]);
    await page.locator('#picture .system').nth(4).click();
    assert.equal(await chosen(), names[4]);
    await page.waitForTimeout(2500); // further measurements keep the choice and the focus
    await shot('web-schedule');
    await checkContrast('the schedule');
    await page.keyboard.press('ArrowDown');
    assert.equal(await chosen(), names[5]);
    assert.match(await text('system'), /Terms(?:read|write|with|send|receive|structure|in lane|others)/);
    await openFile(expected.recordings.find(({ path }) => path.endsWith('regatta.lsr')).path); // its schedule takes the place
    await page.waitForFunction(old => {
        const labels = [...document.getElementById('picture').shadowRoot.querySelectorAll('.system')].map(system => system.ariaLabel.split(',')[0]);
        return labels.length > 1 && labels.join() !== old;
    }, names.join());
    assert.match(await text('system'), /^Choose a system/);
    await page.goto(`${address}#f=skirmish.lsr&t=360`);
    await atTick(360);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Escape');
    await page.waitForSelector('#schedule', { state: 'hidden' });
}

async function checkPlaying() {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('0');
    await page.selectOption('#speed', '0.5');
    await page.keyboard.press(' ');
    await waitFor(() => Number(document.getElementById('tick').value) > 380);
    await page.waitForSelector('#play[aria-label=Pause]');
    await page.keyboard.press(' ');
    await page.waitForSelector('#play[aria-label=Play]');
    await page.waitForTimeout(400);
    await shot('web-viewer');
    await page.selectOption('#speed', '64');
    await page.keyboard.press(' ');
    await atTick(600);
    await page.waitForSelector('#play[aria-label=Play]');
}

// Tab reaches the button that opens a file.
async function checkOpenKey() {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'open');
    await page.evaluate(() => document.getElementById('file').addEventListener('click', event => {
        event.preventDefault();
        document.body.dataset.asked = 'yes';
    }, { once: true }));
    await page.keyboard.press('Enter');
    await page.waitForSelector('body[data-asked]');
}

async function checkLightPicture() {
    await page.emulateMedia({ colorScheme: 'light' });
    await drawn();
    await page.waitForTimeout(400);
    await shot('web-light');
    await page.emulateMedia({ colorScheme: 'dark' });
}

async function checkPhone() {
    await page.selectOption('#speed', '1');
    await page.setViewportSize({ width: 390, height: 780 });
    await goTo(400);
    await page.keyboard.press('0');
    await page.waitForTimeout(400);
    await waitFor(() => document.scrollingElement.scrollWidth <= 390);
    await shot('web-phone');
    await page.setViewportSize({ width: 1280, height: 800 });
}

// `lockstep watch --web` serves a recording, and a folder of them.
async function checkWatch([file, folder], { roots }) {
    if (!file)
        return;
    await page.goto(file);
    await atTick(240);
    await goTo(300);
    assert.equal(await text('root'), roots[300]);
    await page.goto(folder);
    await page.click('#list button:text-is("regatta.lsr")');
    await waitFor(() => document.getElementById('summary').textContent.startsWith('regatta'));
    assert.match(page.url(), /#f=recordings%2Fregatta\.lsr/);
    // There and back, by the browser and by the page.
    await page.goBack();
    await page.waitForSelector('#list button');
    assert.equal(await page.isVisible('footer'), false);
    await page.goForward();
    await waitFor(() => document.getElementById('summary').textContent.startsWith('regatta'));
    await page.waitForSelector('#welcome', { state: 'hidden' });
    await page.keyboard.press(' ');
    await waitFor(() => Number(document.getElementById('tick').value) > 5);
    await page.click('#recordings');
    await page.click('#list button:text-is("skirmish.lsr")');
    await waitFor(() => document.getElementById('summary').textContent.startsWith('skirmish'));
    // The other recordings of the same simulation, to compare with.
    await page.click('#compare');
    await page.waitForSelector('#others', { state: 'visible' });
    assert.deepEqual(await page.locator('#others button').allTextContents(), ['short.lsr', 'A file…']);
    await page.keyboard.press('Escape');
    await page.waitForSelector('#others', { state: 'hidden' });
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('c');
    await page.click('#others button:text-is("short.lsr")');
    await says(/^The roots of all 301 common ticks are equal/);
    assert.match(page.url(), /&with=recordings%2Fshort\.lsr/);
    await page.goBack();
    await page.waitForSelector('#list button');
    await page.waitForSelector('#map2', { state: 'hidden' });
}

// A module that was built from other sources, and a module that is missing.
async function checkModules() {
    const changed = readFileSync(`${expected.site}/regatta.wasm`).toString('latin1')
        .replace(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/, digits => digits.replace(/./, digit => digit === '0' ? '1' : '0'));
    await page.route('**/regatta.wasm', route => route.fulfill({ body: Buffer.from(changed, 'latin1') }));
    await page.goto(`${address}#f=regatta.lsr`);
    await page.waitForSelector('#error', { state: 'visible' });
    assert.match(await text('error'), /^This file was recorded with simulation regatta 1 \(fingerprint .*, this is regatta 1 /);
    await page.unroute('**/regatta.wasm');
    // One with an import more, one of another program, and one that was not sent whole.
    const empty = Buffer.from('0061736d01000000', 'hex'), more = Buffer.concat([empty, Buffer.from('010401600000020c0103656e76046576696c0000', 'hex')]);
    for (const [body, says] of [[more, 'The module of this page asks for env.evil, which the page does not give: it is of another version.'],
        [empty, 'The module of this page is not one of Lockstep.'],
        [Buffer.from(changed, 'latin1').subarray(0, 5000), 'regatta.wasm of this page is damaged, or is no WebAssembly module.']]) {
        await page.route('**/regatta.wasm', route => route.fulfill({ body }));
        await page.reload();
        await page.waitForSelector('#error', { state: 'visible' });
        assert.equal((await text('error')).toLowerCase(), says.toLowerCase());
        await page.unroute('**/regatta.wasm');
    }
    assert.deepEqual(troubles, []);
    await page.route('**/regatta.wasm', route => route.fulfill({ status: 404 }));
    await page.reload();
    await page.waitForSelector('#error', { state: 'visible' });
    assert.equal(await text('error'), "This file is of the simulation 'regatta', of which this page has no module.");
    troubles.length = 0; // the browser itself reports the 404
}

await page.goto(address);
await page.waitForSelector('#welcome');
await page.keyboard.press('?');
await page.waitForSelector('#keys', { state: 'visible' });
await checkContrast('the first screen with the keys');
await page.keyboard.press('?');
await page.waitForSelector('#keys', { state: 'hidden' });
await checkOpenKey();
for (const recording of expected.recordings)
    await checkRecording(recording);
await checkStillPicture();
await checkRefusals(expected.refused);
await checkTorn(expected.torn);
await checkDamaged(expected.damaged);
await checkContrast('an error');
await checkChoosingWhilePlaying(expected.pair);
await checkBundle(expected.bundle);
await checkColony(expected.colony);
await checkWalkers(expected.walkers);
await checkPair(expected.pair);
await checkLives(expected.pair);
await checkDivergence(expected.pair);
await checkDifferences(expected.pair);
await checkFailure(expected.pair);
await checkOpeningWhilePlaying(expected.pair);
await checkPlots(expected.pair);
await checkLocalLink(expected.pair);
await checkTouch();
await checkLink();
await checkInspector();
await checkSchedule(expected.systems);
await checkPlaying();
await checkPhone();
await checkLightPicture();
await checkWatch(expected.watched, expected.recordings.find(({ path }) => path.endsWith('skirmish.lsr')));
await checkNoList();
await checkDamagedLists(expected.pair);
await checkRefusingServer();
await checkSlowStart(expected.pair);
await checkFailingArt();
await checkOvertaking(expected.pair);
await checkLinkStays(expected.refused[1], expected.pair);
await checkModules();
assert.deepEqual(troubles, []);
await browser.close();
console.log('the viewer shows what it should');
