// The sounds of the viewer and of the art, in headless Chromium: when they begin, how many, and from where.
//   node sound_test.mjs PLAYWRIGHT CHROMIUM ADDRESS WALKERS.lsr
import { createRequire } from 'node:module';
import { strict as assert } from 'node:assert';
import { fewFrames } from './few_frames.mjs';

const [playwright, executablePath, address, walkers] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 300000 });
const troubles = [];

async function makePage(script = () => {}) {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    page.setDefaultTimeout(300000);
    await fewFrames(page);
    page.on('console', message => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
    page.on('pageerror', error => troubles.push(error.stack));
    await page.addInitScript(script);
    return page;
}

let page = await makePage();
const waitFor = (check, value) => page.waitForFunction(check, value, { polling: 50 });
const pressed = () => page.getAttribute('#sound', 'aria-pressed');
const begun = () => page.evaluate(() => Number(document.getElementById('sound').dataset.begun ?? 0));
const tick = async () => Number(await page.inputValue('#tick'));
const passes = async ticks => waitFor(last => Number(document.getElementById('tick').value) >= last, await tick() + ticks);

async function open(file, at) {
    await page.goto('about:blank');
    await page.goto(`${address}#f=${file}&t=${at}`);
    await waitFor(wanted => document.getElementById('jumpto').value === String(wanted), at);
    await page.evaluate(() => document.activeElement.blur());
}

// How many sounds begin while this many ticks are played.
async function soundsOf(ticks) {
    const before = await begun();
    await page.keyboard.press(' ');
    await passes(ticks);
    await page.keyboard.press(' ');
    await page.waitForSelector('#play[aria-label=Play]');
    return await begun() - before;
}

// Off until the user turns them on, and silent while paused, stepped, and played fast.
async function checkWhen() {
    await open('skirmish.lsr', 250);
    assert.equal(await pressed(), 'false');
    assert.equal(await soundsOf(40), 0);
    await page.keyboard.press('m');
    assert.equal(await pressed(), 'true');
    assert.ok(await soundsOf(40) > 20);
    const paused = await begun();
    for (let i = 0; i < 20; i++)
        await page.keyboard.press('.');
    await page.waitForTimeout(500);
    assert.equal(await begun(), paused);
    await page.selectOption('#speed', '2');
    await page.evaluate(() => document.activeElement.blur());
    assert.ok(await soundsOf(40) > 0);
    await page.keyboard.press('+');
    assert.equal(await page.inputValue('#speed'), '4');
    assert.equal(await soundsOf(40), 0);
    await page.keyboard.press('-');
    // A browser that has stored the choice makes them after the first key.
    await open('skirmish.lsr', 300);
    assert.equal(await pressed(), 'true');
    assert.ok(await soundsOf(40) > 20);
    await page.click('#sound');
    assert.equal(await pressed(), 'false');
    await page.evaluate(() => document.activeElement.blur());
    assert.equal(await soundsOf(40), 0);
    await page.keyboard.press('?');
    assert.match(await page.textContent('#keys'), /msound on and off/);
    await page.keyboard.press('?');
}

// Of a Sound by itself: nothing before a click, a limit of voices and of sounds of one kind, nothing after a jump.
async function checkLimits() {
    await page.goto('about:blank');
    await page.goto(address);
    const most = await page.evaluate(async () => {
        const { Sound, VOICES_MAX } = await import('./sound.js'), button = document.createElement('button'), tone = () => [{ wave: 'sine', from: 200, seconds: 0.4 }];
        localStorage.clear();
        const scene = { width: 200, height: 100, toX: x => x, toY: y => y }, art = { sounds: () => window.list }, failures = [];
        const own = window.own = new Sound(button, error => failures.push(error.message), true);
        const hear = (continues = true, isPlaying = true) => {
            own.hear({ continues }, scene, isPlaying);
            return own.voices;
        };
        own.begin(art);
        hear();
        Object.assign(window, { hear, failures, list: [{ tones: tone() }], many: Array.from({ length: 500 }, (_, i) => ({ tones: tone(), x: i, y: 50 })),
            alike: Array(50).fill({ tones: tone() }), faint: Array.from({ length: 500 }, () => ({ tones: tone(), strength: 0.1 })) });
        return VOICES_MAX;
    });
    assert.deepEqual(await page.evaluate(() => [window.hear(), window.own.context]), [0, null]);
    await page.mouse.click(5, 300);
    await waitFor(() => window.own.context.state === 'running');
    assert.deepEqual(await page.evaluate(() => [window.hear(false), window.hear(true, false), window.hear()]), [0, 0, 1]);
    for (const [list, voices] of [['alike', 3], ['faint', Math.ceil(most * 0.55)], ['many', most]]) {
        await waitFor(() => window.own.voices === 0); // those before have ended
        assert.deepEqual(await page.evaluate(name => {
            window.list = window[name];
            return [window.hear(), window.hear()];
        }, list), [voices, list === 'alike' ? 2 * voices : voices], list);
    }
    await page.evaluate(() => window.own.toggle());
    await waitFor(() => window.own.context.state === 'suspended');
    await page.evaluate(() => {
        window.own.begin({ sounds: () => [{ tones: [{ wave: 'noise', from: 0, seconds: 1 }] }] });
        window.own.toggle();
    });
    await waitFor(() => window.own.context.state === 'running' && window.own.voices === 0);
    await page.evaluate(() => [window.hear(), window.hear(), window.hear()]);
    const failures = await page.evaluate(() => window.failures);
    assert.equal(failures.length, 1);
    assert.match(failures[0], /^the sounds of this simulation are off, because its art fails: /);
    // The audio rests without a match, whatever is clicked, and goes on with the next one.
    await page.evaluate(() => window.own.end());
    await waitFor(() => window.own.context.state === 'suspended');
    await page.mouse.click(5, 300);
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.own.context.state), 'suspended');
    await page.evaluate(() => window.own.begin({ sounds: () => [] }));
    await waitFor(() => window.own.context.state === 'running');
}

// A sound is heard on the side on which it is seen, not from far outside, and without a place in the middle.
async function checkPlaces() {
    const [left, outside, nowhere, strong, sides] = await page.evaluate(async () => {
        const { hearFrom, startSound } = await import('./sound.js'), scene = { width: 200, height: 100, toX: x => x, toY: y => y };
        const context = new OfflineAudioContext(2, 22050, 44100), left = hearFrom({ x: 0, y: 50, strength: 0.5 }, scene);
        startSound(context, context.destination, [{ wave: 'sine', from: 300, to: 200, seconds: 0.3 }, { wave: 'noise', from: 300, seconds: 0.2, after: 0.1 }], left);
        const buffer = await context.startRendering(), energy = side => buffer.getChannelData(side).reduce((sum, each) => sum + each * each, 0);
        return [left, hearFrom({ x: 500, y: 50 }, scene), hearFrom({ strength: 0.3 }, scene), [7, -1].map(strength => hearFrom({ strength }, scene).loudness), [energy(0), energy(1)]];
    });
    assert.ok(left.pan < -0.5 && left.loudness === 0.5, JSON.stringify(left));
    assert.equal(outside.loudness, 0);
    assert.deepEqual(nowhere, { loudness: 0.3, pan: 0 });
    assert.deepEqual(strong, [1, 0]);
    assert.ok(sides[0] > 4 * sides[1] && sides[1] > 0, sides.join());
}

// The kinds of sounds that the art of a simulation makes of a recording: how many, and the samples of one in numbers. `start` and
// `end` are the largest samples of the first and last half millisecond, `shrill` is the share of the energy above 6 kHz, and
// `full` the peak of as many at a time as are heard.
const kindsOf = (name, file, first, last) => page.evaluate(async ([name, file, first, last]) => {
    const { Remote } = await import('./remote.js'), { artOf } = await import('./art.js'), { startSound, openOutput, VOICES_MAX } = await import('./sound.js');
    const RATE = 44100, most = samples => samples.reduce((peak, each) => Math.max(peak, Math.abs(each)), 0);
    const energyOf = samples => samples.reduce((sum, each) => sum + each * each, 0);
    const render = async (tones, through, count = 1, loudness = 1) => {
        const context = new OfflineAudioContext(2, 3 * RATE, RATE), output = through(context);
        for (let i = 0; i < count; i++)
            startSound(context, output, tones, { loudness, pan: 0, when: 1 + 0.04 * i / VOICES_MAX });
        return (await context.startRendering()).getChannelData(0);
    };
    const highPass = context => {
        const filter = new BiquadFilterNode(context, { type: 'highpass', frequency: 6000 });
        filter.connect(context.destination);
        return filter;
    };
    const worker = new Remote(), art = await artOf(name), counts = new Map(), strengths = new Map(), kinds = [];
    const about = await worker.ask('open', { file: await (await fetch(file)).blob() });
    art.begin(about);
    await worker.ask('plan', { layers: art.layers(about) });
    for (let tick = first, before = null, frame; tick <= last; tick++, before = frame) {
        frame = await worker.ask('show', { tick, step: 1, entity: null });
        for (const { tones, x, y, strength = 1 } of before ? art.sounds(frame, before) : []) {
            if (!(strength > 0 && strength <= 1) || x !== undefined && !Number.isFinite(x + y))
                throw new Error(`a sound at ${x}, ${y} of strength ${strength}`);
            counts.set(tones, (counts.get(tones) ?? 0) + 1);
            strengths.set(tones, Math.max(strength, strengths.get(tones) ?? 0));
        }
    }
    worker.end();
    for (const [tones, count] of counts) {
        const samples = await render(tones, context => context.destination), last = samples.findLastIndex(each => each !== 0);
        const sound = samples.subarray(RATE, last + 1), high = await render(tones, highPass);
        kinds.push({ count, peak: most(sound), isOver: samples.at(-1) === 0, start: most(sound.subarray(0, RATE / 2000)), end: most(sound.subarray(-RATE / 2000)),
            mean: Math.abs(sound.reduce((sum, each) => sum + each, 0) / sound.length), shrill: energyOf(high) / energyOf(samples),
            full: most(await render(tones, openOutput, VOICES_MAX, strengths.get(tones))) });
    }
    return kinds;
}, [name, file, first, last]);

async function checkArt() {
    await page.route('**/walkers.lsr', route => route.fulfill({ path: walkers }));
    for (const [name, first, last, least] of [['skirmish', 0, 600, 6], ['regatta', 0, 600, 1], ['walkers', 0, 240, 2]]) {
        const kinds = await kindsOf(name, `${name}.lsr`, first, last);
        assert.ok(kinds.length >= least, `${name}: ${JSON.stringify(kinds)}`);
        assert.ok(kinds.every(({ peak, isOver }) => peak > 0.05 && peak < 2 && isOver), `${name}: ${JSON.stringify(kinds)}`);
        assert.ok(kinds.every(({ peak, start, end, mean, shrill, full }) => start < 0.25 * peak && end < 0.01 * peak && mean < 0.005 && shrill < 0.25 && full < 1),
            `${name}: ${JSON.stringify(kinds)}`);
        console.log(`${name}: ${kinds.map(({ count }) => count).join(', ')} sounds of ${kinds.length} kinds`);
    }
    await page.unroute('**/walkers.lsr');
}

// Art that fails: one sentence, and the match goes on without sounds.
async function checkFailure() {
    await page.route('**/regatta.web.js', route => route.fulfill({ contentType: 'text/javascript',
        body: "import { plain } from './map.js';\nexport default { ...plain, sounds() { throw new Error('there is no bell'); } };\n" }));
    await open('regatta.lsr', 10);
    if (await pressed() === 'false')
        await page.keyboard.press('m');
    assert.equal(await soundsOf(40), 0);
    assert.equal(await page.textContent('#error'), 'The sounds of this simulation are off, because its art fails: there is no bell.');
    assert.equal(await page.isVisible('#sound'), false);
    await page.unroute('**/regatta.web.js');
}

// Without Web Audio there is no button, and the key does nothing.
async function checkNone() {
    page = await makePage(() => delete window.AudioContext);
    await open('skirmish.lsr', 250);
    assert.equal(await page.isVisible('#sound'), false);
    await page.keyboard.press('m');
    assert.equal(await soundsOf(20), 0);
}

// An audio that fails is told once.
async function checkBroken() {
    page = await makePage(() => {
        window.AudioContext = class {
            constructor() {
                throw new Error('there is no device');
            }
        };
    });
    await open('skirmish.lsr', 250);
    await page.keyboard.press('m');
    assert.equal(await page.textContent('#error'), 'The sounds are off, because the audio of this browser fails: there is no device.');
    assert.equal(await page.isVisible('#sound'), false);
    assert.equal(await soundsOf(20), 0);
}

await page.goto(address);
await checkWhen();
await checkLimits();
await checkPlaces();
await checkArt();
await checkFailure();
await checkNone();
await checkBroken();
assert.deepEqual(troubles, []);
await browser.close();
