// Runs one engine beside the page, so that the page never waits for a simulation. A page starts one worker to look at
// the state, one to prove the recording and, for plots and for the schedule, further ones: the same file, each with its
// own copy of the bytes.
// A message is { id, run, ... }; the answer has the same id, and `error` with one sentence when it failed.
import { COUNTED_TICKS_MAX, fetchModule, open } from './engine.js';
import { entityText, readers } from './fields.js';
import { readLayers } from './layers.js';

const SLICE_MS = 40; // of a long work, between two looks at the messages
const FOUND_MAX = 200;
const MEASURE_MS = 150, MEASURED_TICKS_MAX = 240;
const BYTES_MAX = 2 ** 30;
// `sides` are the recording and, while two are compared, the other: its number in the engine, and the frame shown.
let engine, about, size = 0, sides = [], plan = [], work = 0, measured = 8, told = 0;
// Lets the next messages in. A timer would wait for some milliseconds.
const turn = new MessageChannel();
const pause = () => new Promise(resolve => {
    turn.port1.onmessage = resolve;
    turn.port2.postMessage(0);
});

const load = name => fetchModule(`${name}.wasm`);

// A file is read here: the page hands over a Blob, which costs it nothing.
async function readFile(file) {
    if (file.size > BYTES_MAX)
        throw new Error('this file is larger than 1 GiB, the most that a recording has');
    const bytes = await file.arrayBuffer().catch(error => {
        if (error instanceof RangeError)
            throw error;
        throw new Error(error.name === 'NotFoundError' ? 'this is a folder, or the file is gone: give a file that ends with .lsr'
            : 'this file has changed since it was opened, or may not be read: open it again');
    });
    return new Uint8Array(bytes);
}

const makeSide = (number, its) => ({ number, about: its, before: [], asked: NaN, shown: NaN });

async function openFile({ file, second, isMeasured }) {
    engine = await open(await readFile(file), load);
    size = file.size;
    about = engine.play(isMeasured);
    sides = [makeSide(0, about)];
    if (!second)
        return about;
    engine.call('select', 1);
    const name = engine.read(await readFile(second));
    if (name !== engine.ownName)
        throw new Error(`the first file is of the simulation '${engine.ownName}', the second of '${name}': give two of one simulation`);
    sides.push(makeSide(1, engine.play()));
    engine.call('select', 0);
    return { ...about, second: sides[1].about };
}

// The file has become longer, as that of a match that runs.
async function grow({ file, hasMore }) {
    const bytes = new Uint8Array(await file.slice(size).arrayBuffer());
    engine.call('select', 0);
    Object.assign(about, engine.grow(bytes, hasMore));
    size = file.size;
    return about;
}

// Goes to a tick; the sentence says why it could not.
function seek(tick) {
    try {
        engine.run('seek', tick);
        return '';
    } catch (error) {
        return error.message;
    }
}

function showSide(side, { tick, entity, step }) {
    const { before, shown } = side;
    engine.call('select', side.number);
    side.asked = Math.min(side.about.last, Math.max(side.about.first, tick));
    const diverged = seek(side.asked);
    const now = engine.call('tick');
    const continues = now > shown && now - shown <= step;
    const { layers, kept } = readLayers(engine, plan, before, continues);
    side.before = kept;
    side.shown = now;
    const same = side.number && entity ? { low: entity.low } : entity; // its generation may be another there
    return { tick: now, continues, layers, world: engine.json('world'), entity: describe(same), diverged };
}

// A lane and slot in both recordings, where different entities may live, or one: the left, and the right as its `other`.
const beside = ({ low }, left, right) => ({ ...left ?? { low, name: entityText(about, low), isAlive: false, components: {} }, other: right });

// Frames of both sides belong to one tick, except beyond the end of one and where one diverges. Other calls are about
// the left side.
function show(wanted) {
    const [frame, other] = sides.map(side => showSide(side, wanted));
    engine.call('select', 0);
    if (wanted.entity && other)
        frame.entity = beside(wanted.entity, frame.entity, other.entity);
    return { ...frame, other };
}

// Of the states at `tick`, or of those that the worker has come to. The answer has the tick of each side, which is
// another beyond the end of one and where one diverges.
function differences({ tick }) {
    const [left, right] = sides.map(({ number, about: { first, last }, asked, shown }) => {
        engine.call('select', number);
        const wanted = Math.min(last, Math.max(first, tick)), now = engine.call('tick');
        const hasStopped = asked === wanted && shown === now; // a second seek would go on from the tick that diverges
        if (tick !== undefined && wanted !== now && !hasStopped)
            seek(wanted);
        return engine.call('tick');
    });
    engine.call('select', 0);
    return { tick: left, otherTick: right, ...engine.json('differences') };
}

// The living entity of a lane and slot, whose handle has a generation that only the engine knows.
function handleOf(low) {
    const { entities } = engine.rows([-1], [0]);
    for (let i = 0; i < entities.length; i += 2) {
        if (entities[i] === low)
            return [entities[i], entities[i + 1]];
    }
    return null;
}

// `entity` is the low half of a handle, and the high one where it is known.
function describe(entity) {
    if (!entity)
        return null;
    const handle = entity.high === undefined ? handleOf(entity.low) : [entity.low, entity.high];
    return handle && { low: handle[0], high: handle[1], ...engine.json('entity', ...handle) };
}

// The same of both sides.
function describeBoth({ entity }) {
    const left = describe(entity);
    if (!entity || sides.length < 2)
        return left;
    engine.call('select', 1);
    const right = describe({ low: entity.low });
    engine.call('select', 0);
    return left || right ? beside(entity, left, right) : null;
}

const compare = {
    '=': (a, b) => a === b, '!=': (a, b) => a !== b, '<': (a, b) => a < b, '>': (a, b) => a > b,
    '<=': (a, b) => a <= b, '>=': (a, b) => a >= b,
};

// Entities with a component, or with a field that compares with a number.
function find({ column, field, operator, value }) {
    const bytes = about.components[column]?.bytes ?? 0, { count, entities, cells } = engine.rows([column], [bytes]);
    const found = [];
    let all = 0;
    for (let i = 0; i < count; i++) {
        if (field && !compare[operator](readers[field.type](cells[0], i * bytes + field.offset), value))
            continue;
        if (all++ < FOUND_MAX)
            found.push({ low: entities[2 * i], high: entities[2 * i + 1] });
    }
    return { found, all };
}

async function inSlices(id, step) {
    const mine = ++work;
    for (let isDone = false; !isDone && mine === work;) {
        const began = performance.now();
        let answer;
        do
            ({ isDone, ...answer } = step());
        while (!isDone && performance.now() - began < SLICE_MS);
        postMessage({ id, isDone, answer });
        await pause();
    }
}

// Simulates the whole recording and compares every root; the answers are its progress.
async function prove({ id }) {
    const began = performance.now();
    let ticks = 1;
    await inSlices(id, () => {
        let error = '';
        const start = performance.now();
        try {
            engine.run('prove', ticks);
        } catch (failure) {
            error = failure.message;
        }
        ticks = performance.now() - start < SLICE_MS / 4 ? 2 * ticks : Math.max(1, ticks >> 1);
        const proof = engine.json('proof'), counted = Math.min(COUNTED_TICKS_MAX, proof.ticks);
        const eventsFrom = Math.min(told, counted), events = about.events.length ? engine.eventCounts(eventsFrom, counted) : [];
        told = counted;
        return { ...proof, events, eventsFrom, isDone: proof.isDone || error !== '', error, ms: performance.now() - began };
    });
}

// One field of an entity at some ticks from `first` to `last`.
async function plot({ id, low, high, component, field, first, last, step }) {
    let tick = first;
    const points = [];
    await inSlices(id, () => {
        seek(tick);
        const { components } = engine.json('entity', low, high);
        let value = components[component]?.[field];
        value = Array.isArray(value) ? value[0] : value;
        points.push([tick, typeof value === 'boolean' ? Number(value) : Number.isFinite(Number(value)) ? Number(value) : NaN]);
        tick += step;
        return { points, isDone: tick > last };
    });
}

// The schedule with times, from as many ticks as take MEASURE_MS.
function schedule({ tick }) {
    const began = performance.now(), answer = engine.json('schedule', tick, measured);
    const most = Math.round(measured * MEASURE_MS / Math.max(1, performance.now() - began));
    measured = Math.min(MEASURED_TICKS_MAX, Math.max(4, most));
    return answer;
}

function fillSide({ number }) {
    engine.call('select', number);
    const isBusy = engine.call('fill', 4);
    engine.call('select', 0);
    return isBusy;
}

// Keeps states around the present tick while nothing else is asked, so that stepping back is fast.
let filling = 0;
async function fill() {
    const mine = ++filling;
    do
        await new Promise(resolve => setTimeout(resolve, 30));
    while (mine === filling && sides.map(fillSide).some(isBusy => isBusy));
}

const answers = {
    open: openFile,
    grow,
    plan: ({ layers }) => {
        plan = layers;
        for (const side of sides)
            side.before = [];
    },
    show,
    differences,
    single: () => {
        sides.length = 1;
    },
    find,
    describe: describeBoth,
    schedule,
    playerEvents: ({ first }) => engine.json('player_events', first),
    inputs: ({ tick }) => engine.json('inputs', tick).inputs,
    inputCounts: ({ first, count }) => engine.inputCounts(first, count),
};

// The file as far as the messages before said. What comes while it is read waits for it, and fails as it did.
let whole = Promise.resolve();

function changeFile(data) {
    const done = whole.then(() => answers[data.run](data));
    whole = data.run === 'open' ? done : done.catch(() => {});
    return done;
}

onmessage = async ({ data }) => {
    const { id, run } = data;
    filling++;
    try {
        if (run === 'open' || run === 'grow')
            return postMessage({ id, answer: await changeFile(data) });
        await whole;
        if (run === 'prove')
            await prove(data);
        else if (run === 'plot')
            await plot(data);
        else
            postMessage({ id, answer: await answers[run](data) });
    } catch (error) {
        postMessage({ id, error: error instanceof RangeError ? 'this browser has too little memory for this file' : error.message });
    }
    if (run === 'show')
        fill();
};
