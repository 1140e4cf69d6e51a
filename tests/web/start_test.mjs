// Goes from the first screen of a server to its match, which this page can only watch, and back, in headless Chromium.
//   node start_test.mjs PLAYWRIGHT CHROMIUM ADDRESS      ADDRESS of a server with a match of the colony for two, --web and --broadcast-dir
// With LOCKSTEP_SHOTS=DIR it also writes pictures to that folder.
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';
import { fewFrames } from './few_frames.mjs';

const [playwright, executablePath, address] = process.argv.slice(2), shots = process.env.LOCKSTEP_SHOTS;
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 300000 });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
context.setDefaultTimeout(300000);
await fewFrames(context);
const page = await context.newPage(), troubles = [];
page.on('console', message => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
page.on('pageerror', error => troubles.push(error.stack));
const shot = async name => shots && await page.screenshot({ path: `${shots}/${name}.png` });
const says = (id, text, of = page) => of.waitForFunction(([at, wanted]) => document.getElementById(at).textContent.trim() === wanted, [id, text], { polling: 50 });

// The first screen leads to the page of a player, which says that it has no controls, and back.
await page.goto(address);
await page.click('#playlink:text-is("Play colony")');
await says('words', 'This page has no controls for colony: it can only watch. Join takes the seat of a player who gives no orders; Watch only takes none.');
await page.click('#entrance a');
await page.click('#playlink');
await page.click('#join');
await says('seat', 'You watch, in the seat of player 1');
await says('hint', 'This page has no controls for colony: it can only watch.');
await page.waitForFunction(() => Number(document.getElementById('status').dataset.tick) > 20, null, { polling: 50 });
await shot('start-watching');

// What is typed while the art comes stays. Without its art the match is drawn as dots. Where a module is missing the form says so.
let arrive;
const arrival = new Promise(resolve => (arrive = resolve)), slow = await context.newPage();
await slow.route('**/colony.web.js', route => arrival.then(() => route.continue()));
await slow.goto(`${address}play.html#sim=colony&room=there&name=Bob`, { waitUntil: 'commit' });
await slow.fill('#name', 'Zoe');
arrive();
await slow.waitForSelector('#join:enabled');
assert.deepEqual([await slow.inputValue('#name'), await slow.inputValue('#room'), await slow.isVisible('#loading')], ['Zoe', 'there', false]);
await slow.route('**/colony.web.js', route => route.abort());
await slow.reload();
await slow.waitForSelector('#join:enabled');
assert.match(await slow.textContent('#notice'), /^Colony is drawn as dots and marks, because colony\.web\.js fails: /);
await slow.route('**/steer.js', route => route.abort());
await slow.reload();
await slow.waitForSelector('#loading', { state: 'visible' });
assert.ok(await slow.isDisabled('#join'));
await slow.close();

// A spectator is told so.
const other = await context.newPage();
await other.goto(`${address}play.html#sim=colony`);
await other.click('#watch');
await says('seat', 'You watch this match, without a seat', other);
await says('hint', '', other);
await other.click('#leave');
await says('heading', 'You have left the match', other);
await other.click('#entrance a');

// The list names the running match, and the viewer's Back leads to it again.
const row = other.locator('#list button:text-is("● live: the match of colony, 2 seats")');
for (const end = Date.now() + 300000; await row.count() === 0 && Date.now() < end;) {
    await other.reload();
    await other.waitForTimeout(1000);
}
if (shots)
    await other.screenshot({ path: `${shots}/start-list.png` });
await row.click();
await says('title', 'the match of colony', other);
assert.match(await other.title(), /^the match of colony · /);
await other.goBack();
await row.waitFor();
assert.deepEqual(troubles, []);
await browser.close();
console.log('the first screen leads to all');
