// Plays with one tab of headless Chromium what does not happen in a good match: a connect token, a lost connection, a wrong state.
//   node play_faults_test.mjs PLAYWRIGHT ADDRESS EXPECTED      EXPECTED: {"chromium", "key", "token"}
// The worker of this site gives the test its engine: globalThis.inside().
// Prints "cut" when the connection is to be cut, "lost" when the page has told of that and it is to come back, and "planted TICK"
// when the page has told of the wrong state. Then the tab goes on until standard input ends: the server still asks it for the differing page.
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';
import { fewFrames } from './few_frames.mjs';

const [playwright, address, json] = process.argv.slice(2), expected = JSON.parse(json);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath: expected.chromium, args: ['--no-sandbox'], timeout: 300000 });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.setDefaultTimeout(300000);
await fewFrames(page);
const failures = [];
page.on('pageerror', error => failures.push(error.stack));
const facts = () => page.evaluate(() => ({ ...document.getElementById('status').dataset }));
const waitFor = (check, value) => page.waitForFunction(check, value, { polling: 50 });
const plays = () => waitFor(() => document.getElementById('seat').textContent && Number(document.getElementById('status').dataset.tick) > 0);

// On a slow line no player can join before the page is whole: the browser itself would send the form.
let arrive;
const arrival = new Promise(resolve => (arrive = resolve));
await page.route('**/skirmish.web.js', route => arrival.then(() => route.continue()));
page.on('console', message => /form/i.test(message.text()) && failures.push(message.text()));
await page.goto(`${address}play.html#sim=skirmish&key=${expected.key}&predict=0`, { waitUntil: 'commit' });
await page.waitForSelector('#join');
assert.ok(await page.isDisabled('#join') && await page.isDisabled('#watch'));
await page.press('#name', 'Enter');
arrive();

// A valid token is the only way into this match, and its holder has a name from it.
await page.fill('#name', 'Ann');
await page.click('#join');
await page.waitForSelector('#failure', { state: 'visible' });
assert.match(await page.textContent('#failure'), /token/);
await page.click('summary');
await page.fill('#token', expected.token);
await page.click('#join');
await plays();
const first = await facts();
await waitFor(roots => Number(document.getElementById('status').dataset.roots) > roots, Number(first.roots) + 20);

// A lost connection: the page says so, and comes back to the same seat.
console.log('cut');
await waitFor(() => /^The connection is lost: |^The server is silent/.test(document.getElementById('notice').textContent));
const lost = await facts();
console.log('lost');
await waitFor(() => Number(document.getElementById('status').dataset.resumes) > 0 && document.getElementById('notice').hidden);
const back = await facts();
await waitFor(roots => Number(document.getElementById('status').dataset.roots) > roots, Number(back.roots) + 20);
assert.deepEqual([(await facts()).player, (await facts()).desyncs], [first.player, '0']);
assert.ok(Number(back.tick) > Number(lost.tick));

// One bit of the position of a unit changes in this browser: its root differs, and the server names the cell.
const changed = await page.workers()[0].evaluate(() => {
    const CELLS = 4;
    const { engine, plan } = globalThis.inside(), layer = plan[0];
    const { cells } = engine.rows([layer.columns[0]], [layer.sizes[0]]), bytes = CELLS * layer.sizes[0];
    const wanted = new Uint8Array(cells[0].buffer, cells[0].byteOffset, bytes), memory = new Uint8Array(engine.exports.memory.buffer);
    let count = 0;
    for (let at = 0; at + bytes <= memory.length; at += 4) {
        if (wanted.every((byte, i) => memory[at + i] === byte)) {
            memory[at + layer.place.x] ^= 1;
            count++;
        }
    }
    return count;
});
assert.ok(changed > 0, 'the state is not found in the memory of the module');
await waitFor(() => document.getElementById('status').dataset.desyncs === '1');
await waitFor(() => /^This browser's state differed from the server's at tick \d+\.$/.test(document.getElementById('notice').textContent));
const said = await page.textContent('#notice');
assert.ok(await page.evaluate(() => document.getElementById('status').classList.contains('bad')));
console.log(`planted ${/\d+/.exec(said)[0]}`);
await new Promise(resolve => process.stdin.resume().on('end', resolve));
assert.deepEqual(failures, []);
await browser.close();
