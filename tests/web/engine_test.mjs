// Plays recordings with the modules of build/web/site in node, and checks what web/viewer/engine.js gives.
//   node engine_test.mjs SITE ENGINE RECORDING...       ENGINE: engine.js under a name that node takes for a module
// Prints a JSON line per recording: the roots that were compared, and ticks per second.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { strict as assert } from 'node:assert';

const [site, engineFile, ...recordings] = process.argv.slice(2);
const { Engine, open } = await import(pathToFileURL(engineFile));

async function load(name) {
    try {
        return new WebAssembly.Module(readFileSync(`${site}/${name}.wasm`));
    } catch {
        return null;
    }
}

async function refuses(bytes, pattern) {
    await assert.rejects(async () => (await open(bytes, load)).play(), error => {
        assert.match(error.message, pattern);
        return true;
    });
}

function prove(engine) {
    const began = performance.now();
    for (;;) {
        engine.run('prove', 100);
        const proof = engine.json('proof');
        if (proof.isDone)
            return { ...proof, ticksPerSecond: Math.round(proof.ticks / (performance.now() - began) * 1000) };
    }
}

function checkRows(engine, about, tick) {
    const columns = about.components.findIndex(component => !component.isSingleton && component.bytes > 0);
    const component = about.components[columns];
    engine.run('seek', tick);
    assert.equal(engine.call('tick'), tick);
    const all = engine.rows([-1], [0]), rows = engine.rows([columns], [component.bytes]);
    const world = engine.json('world');
    assert.equal(all.count, world.entities);
    assert.equal(rows.cells[0].byteLength, rows.count * component.bytes);
    assert.ok(rows.presence.every(bits => bits === 1));
    const entity = engine.json('entity', rows.entities[0], rows.entities[1]);
    assert.ok(entity.isAlive && component.name in entity.components, JSON.stringify(entity));
    return world.root;
}

// The schedule, with times of ticks that are simulated again; a jump begins anew.
async function checkSchedule(bytes, { first, last }, root) {
    const engine = await open(bytes, load);
    engine.play(true);
    for (const [tick, ticks] of [[last, 30], [last, 60], [first, 30], [first + 1, 60]]) {
        const { ticks: measured, tickNs, systems, svg } = engine.json('schedule', tick, 30);
        assert.equal(measured, ticks);
        const sum = systems.reduce((all, ns) => all + ns, 0);
        assert.ok(systems.length > 1 && sum > 0 && sum <= tickNs, `${sum} ns of ${tickNs}`);
        assert.match(svg, /^<svg [^]*<\/svg>\n$/);
        assert.equal(svg.match(/<g><title>[^<]*<\/title>\n<rect [^>]*class="box /g).length, systems.length);
    }
    engine.run('seek', last);
    assert.equal(engine.json('world').root, root);
}

// A recording beside itself: equal at one tick, and different where the other is at another tick.
async function checkDifferences(bytes, { first, last }) {
    const engine = await open(bytes, load);
    engine.play();
    engine.call('select', 1);
    assert.equal(engine.read(bytes), engine.ownName);
    engine.play();
    assert.deepEqual(engine.json('differences'), { ticks: last - first + 1, cells: [], count: 0, isCut: false, entities: [] });
    engine.run('seek', last);
    const { cells, count, entities } = engine.json('differences');
    assert.deepEqual(cells[0], { place: 'tick', left: String(first), right: String(last) });
    assert.ok(cells.length === Math.min(count, 200) && entities.length > 0 && entities.length < count);
    engine.call('select', 0);
    assert.equal(engine.call('tick'), first);
}

// A recording that grows: the state stays, and the proof goes on where it was.
async function checkGrowth(bytes, { last, signedTick }) {
    const step = Math.ceil(bytes.length / 7), engine = await open(bytes.slice(0, step), load);
    let now = engine.play();
    engine.grow(new Uint8Array(0), true);
    for (let at = step; at < bytes.length; at += step) {
        engine.run('seek', now.last);
        const root = engine.json('world').root, shown = now.last;
        assert.ok(prove(engine).tick <= now.last);
        now = engine.grow(bytes.slice(at, at + step), at + step < bytes.length);
        assert.ok(now.last >= shown && engine.call('tick') === shown && engine.json('world').root === root);
    }
    assert.deepEqual([now.last, now.signedTick, now.end, now.forged], [last, signedTick, 'clean', null]);
    assert.equal(prove(engine).roots, last + 1);
    assert.equal(engine.call('reserve_more', 2 ** 31), 0);
}

for (const path of recordings) {
    const bytes = readFileSync(path);
    const engine = await open(bytes, load);
    const about = engine.play();
    const { first, last } = about;
    const root = checkRows(engine, about, last);
    checkRows(engine, about, first);
    assert.equal(checkRows(engine, about, last), root); // back and forth gives the same state
    assert.throws(() => engine.run('seek', last + 1), /not in the recording/);
    assert.throws(() => engine.run('seek', NaN), /no tick/);
    const inputs = engine.inputCounts(first, last - first);
    const at = inputs.findIndex(count => count > 0);
    assert.ok(at >= 0 && engine.json('inputs', first + at).inputs.length >= inputs[at]);
    assert.deepEqual(engine.json('inputs', last).inputs, []);
    await checkSchedule(bytes, about, root);
    await checkDifferences(bytes, about);
    await checkGrowth(new Uint8Array(bytes), about);
    const proof = prove(engine);
    assert.equal(proof.ticks, last - first);
    console.log(JSON.stringify({ path, ...proof, root, signedTick: about.signedTick, key: about.key, end: about.end }));
}

// Bytes that are no good recording: a sentence, never a trap.
const good = new Uint8Array(readFileSync(recordings[0]));
await refuses(new Uint8Array(0), /./);
await refuses(new TextEncoder().encode('This is a text of some length, and no recording at all.'), /^this file is not a Lockstep recording/);
await refuses(good.slice(0, 30), /./);
assert.equal(new Engine(await load('skirmish')).call('reserve', 2 ** 31), 0);
let torn = (await open(good.slice(0, good.length * 0.7), load));
assert.equal(torn.play().end, 'torn');
prove(torn);
const changed = good.slice();
changed[Math.floor(good.length / 2)] ^= 1;
const damaged = await open(changed, load);
assert.ok(damaged.play().isDamaged);
prove(damaged);
// A byte of the header flipped: refused with a sentence. A trap would say that the engine stopped.
for (let i = 0; i < 120; i++) {
    const other = good.slice();
    other[i] ^= 0x55;
    await refuses(other, /^(?!the engine stopped)/);
}
console.log('{"bad_bytes": "refused"}');
