// The page: opens a recording and joins map, timeline, inspector and the workers that simulate.
import { artOf } from './art.js';
import { acceptDrops, cellOf, makeTable, showDifferences } from './compare.js';
import { fetchFile } from './engine.js';
import { entityLow, entityText, guessLayers, numberFields } from './fields.js';
import { describePlot, drawPlot, make, showEntity, showWorld } from './inspector.js';
import { Live } from './live.js';
import { MapView, plain } from './map.js';
import { Playback, SPEEDS } from './playback.js';
import { PlayerEvents } from './player-events.js';
import { showPlayers } from './players.js';
import { Remote } from './remote.js';
import { Schedule } from './schedule.js';
import { fetchRooms, fetchShelf, matchText, showShelf } from './shelf.js';
import { Sound } from './sound.js';
import { Timeline } from './timeline.js';

const INSPECT_MS = 120, PLOT_POINTS = 300, PAN_PIXELS = 60, LINK_MS = 1500, LOCAL_LINK_MS = 5000;
const LOUD_SPEED_MAX = 2; // faster, the match is silent
const LIVE_S = 3, LIVE_AGAIN_S = 12, LIVE_TRIES = 5; // behind the newest tick; when it counts as live no more
const $ = id => document.getElementById(id);
const darkness = matchMedia('(prefers-color-scheme: dark)');
let about = null, file = null, view = null, prover = null, plotter = null, timer = null, art = plain, name = '', opening = 0;
let served = null; // the path on the server of the recording that is open
let live = null, joining = null; // the running match that is followed, and one of which the first bytes are fetched
let isListed = false; // whether the first screen has what the server has
let second = null; // the other recording, while two are compared
let findings = []; // cells of the desync that the recording is the evidence of
let chosen = null, follows = false, inspectedMs = 0, plotted = null, hashText = null;

const playback = new Playback(
    (tick, step) => view.ask('show', { tick, step, entity: chosen }), arrived, error => complain(sentence(error)));
// The generation of an entity on the right may be that of another on the left, so only its slot is chosen.
const map = new MapView($('map'), choose), map2 = new MapView($('map2'), entity => choose(entity && { low: entity.low }), map.camera, 1);
const schedule = new Schedule($('picture'), $('tickcost'), $('system'));
const timeline = new Timeline($('marks'), $('tick'), tick => playback.seek(tick));
const sound = new Sound($('sound'), error => complain(sentence(error)), false);
const playerEvents = new PlayerEvents($('playerevents'), timeline, tick => playback.seek(tick));

function complain(text) {
    $('error').textContent = text;
    $('error').hidden = !text;
}

// The promises of a worker that is ended stay open, so whatever is rejected and not caught is a fault to tell.
function complainOfFault({ reason }) {
    complain(sentence(reason?.message ? reason : new Error(`this page failed: ${reason}`)));
}

/* Opening */

// What was fetched or opened before comes too late from now on. Gives the number of what is opened instead.
function overtake() {
    joining?.leave();
    joining = null;
    $('busy').hidden = true;
    return ++opening;
}

function beginOpening() {
    complain('');
    const mine = overtake();
    $('busy').hidden = false;
    return mine;
}

function endOpening(mine) {
    if (mine === opening)
        $('busy').hidden = true;
}

// `blob` is a File, or the answer of a server; `at` what a link asked for, with the path of what a server has; `source` a
// running match, which has a name of its own. Promises whether the recording is open now.
async function openRecording(blob, newName, at = {}, source = null) {
    const mine = beginOpening(), worker = new Remote();
    try {
        const answer = await worker.ask('open', { file: blob });
        const itsArt = await artOf(answer.simulation, error => complain(sentence(error)));
        if (mine !== opening) {
            worker.end();
            return false;
        }
        const hadNone = !about;
        begin(worker, answer, blob, newName, source, itsArt);
        served = source ? null : at.f ?? null;
        if (!source && !served)
            setAddress(hadNone ? 'pushState' : 'replaceState', location.pathname); // Back leads to the first screen
        if (live && at.t === undefined)
            await goLive();
        else
            await goTo({ ...diverging(), ...at });
        $('inspector').querySelector('.differs')?.scrollIntoView({ block: 'nearest' });
        return mine === opening;
    } catch (error) {
        failOpening(mine, error, worker);
        return false;
    } finally {
        endOpening(mine);
    }
}

// The worker goes on if the page shows its recording already. The recording that stays keeps its link.
function failOpening(mine, error, worker = null) {
    if (worker !== view)
        worker?.end();
    if (mine !== opening)
        return;
    complain(sentence(error));
    if (playback.frame)
        writeHash();
    if (!about && !isListed)
        listShelf(mine, false);
}

// A bundle opens at the state that differs, with the entity of the first cell that does.
function diverging() {
    const { desync } = about, [, entity] = /([^/\s]+\/\d+)(?::\d+)?$/.exec(desync?.findings[0]?.place) ?? [];
    return desync ? { t: String(desync.tick), ...entity && { e: entity } } : {};
}

// The cells of a desync, while the state shown is the one that differs.
const findingsAt = tick => about.desync?.tick === tick && !second ? findings : [];

function sentence(error) {
    const text = error.message;
    const isFile = /^[\w-]+\.\w/.test(text); // its name stays as it is
    return `${isFile ? text[0] : text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

// Ends all work on the recording that is open, if one is.
function leaveRecording() {
    dropSecond();
    live?.leave();
    sound.end();
    for (const old of [view, prover, plotter, timer])
        old?.end();
    [view, prover, plotter, timer, about, file, name, served, live] = [null, null, null, null, null, null, '', null, null];
    [chosen, follows, plotted, playback.frame, playback.isPlaying] = [null, false, null, null, false];
}

function begin(worker, answer, blob, newName, source, itsArt) {
    leaveRecording();
    [view, prover, about, file, name, live] = [worker, new Remote(), answer, blob, source ? matchText(source.room, answer.simulation) : newName, source];
    art = itsArt;
    art.begin?.(about);
    sound.begin(art);
    map.reset();
    map2.reset();
    playback.begin(about);
    playback.grow(about, live?.isLive);
    $('golive').hidden = !live;
    document.body.classList.remove('empty');
    document.title = `${name} · Lockstep viewer`;
    $('title').textContent = $('title').title = name;
    $('summary').textContent = `${about.simulation} ${about.version} · ${about.players} players · ${about.summary}`;
    $('last').textContent = about.last;
    $('plot').hidden = $('others').hidden = true;
    $('found').replaceChildren();
    $('query').placeholder = searchExample();
    listColours();
    showDesync();
    setLayers();
    schedule.reset();
    if (!$('schedule').hidden)
        showSchedule(true);
    timeline.begin(about, async (first, count) => view.ask('inputCounts', { first, count }));
    playerEvents.show(view, about, 0);
    proveHere($('proof'), prover, about, file, live);
    complainOfEnd();
}

// How a recording ends that was not closed, or where it is wrong.
function complainOfEnd() {
    const isCut = !about.desync && (!live ? ['torn', 'zeros', 'open'].includes(about.end) : live.state === 'ended' && about.end !== 'clean');
    const text = about.forged || (about.isDamaged || isCut ? about.endText : '');
    if (!text)
        return;
    if (live?.isLive)
        live.leave('damaged');
    complain(sentence({ message: !live || about.forged ? text
        : `the ${live.state === 'ended' ? 'server says that the match has ended, but its ' : ''}broadcast ${text.replace(/^this file /, '').replace(/: restore .*/s, '')}: `
            + 'ask the operator of the server for its recording' }));
}

function searchExample() {
    const field = numberFields(about, 0).find(({ type, path }) => type !== 'entity' && /player|points|score/.test(path)) ?? numberFields(about, 0)[0];
    return `${Object.keys(about.lanes)[0] ?? 'world'}/0${field ? `, ${field.path} > 1` : ''}`;
}

function setLayers() {
    view.ask('plan', { layers: art.layers?.(about) ?? guessLayers(about, $('colour').value) }).catch(error => complain(sentence(error)));
}

function listColours() {
    const fields = numberFields(about, 0).filter(({ type }) => ['u8', 'u16', 'u32', 'enum', 'bool'].includes(type));
    $('colouring').hidden = art !== plain;
    $('colour').replaceChildren(make('option', { value: '', textContent: 'owner' }),
        ...fields.map(({ path }) => make('option', { value: path, textContent: path })));
}

function showDesync() {
    const { desync } = about, cells = desync?.findings ?? [];
    findings = cells.map(({ place, client }) => ({ ...cellOf(place), client })).filter(({ component }) => component);
    $('desync').replaceChildren(...desync ? [make('h2', {}, make('span', { textContent: `Desync before tick ${desync.tick}` }),
        make('button', { type: 'button', textContent: 'Go there', onclick: () => goTo(diverging()) })),
    makeTable(cells.map(({ place, server, client }) => ({ place, left: server, right: client })), ['server', 'client'], pickText)] : []);
}

/* The proof */

async function proveHere(line, mine, its, blob, source = null) {
    const isSecond = line === $('proof2'), prefix = isSecond ? `${second.name}: ` : '';
    const describeKey = () => its.forged ? 'a signature is wrong' : !its.key ? 'not signed'
        : its.signedTick > its.first ? `signed through tick ${its.signedTick - 1} by ${its.key}` : 'no tick is signed';
    const tell = ({ roots, tick, error, isDone, differsAt, ms, events, eventsFrom }) => {
        if (mine !== (isSecond ? second?.prover : prover))
            return;
        const all = its.last - its.first + 1, signed = describeKey();
        if (!isSecond) {
            timeline.proved = tick;
            events?.forEach((count, i) => timeline.events[eventsFrom + i] = count);
        }
        if (differsAt !== undefined)
            timeline.differs[isSecond ? 1 : 0].add(differsAt);
        line.textContent = `${prefix}${signed}, ${roots} of ${all} roots re-simulated here${error ? `; ${error}` : isDone && roots < all ? '; the file ends before the others' : ''}`;
        line.className = error || its.forged ? 'bad' : roots === all ? 'good' : '';
        line.dataset.ms = isDone ? Math.round(ms) : '';
        line.setAttribute('aria-busy', String(!isDone && !error)); // a screen reader reads the result alone
        timeline.draw();
    };
    tell({ roots: 0, tick: its.first });
    try {
        await mine.ask('open', { file: blob });
        let proof, version;
        do {
            version = source?.version;
            if (source)
                its = await mine.ask('grow', { file: source.blob, hasMore: source.isLive });
            proof = await mine.ask('prove', {}, tell);
            tell({ ...proof, isDone: !source?.isLive });
        } while (source && !proof.error && await source.isBeyond(version));
    } catch (error) {
        tell({ roots: 0, tick: its.first, error: sentence(error) });
    }
}

/* A running match */

async function followMatch(room, link = {}) {
    const mine = new Live(room), asked = beginOpening();
    joining = mine;
    try {
        await mine.poll();
        if (asked !== opening)
            return;
        joining = null;
        await openRecording(mine.blob, '', link, mine);
    } catch (error) {
        failOpening(asked, error);
        return;
    } finally {
        endOpening(asked);
    }
    for (let failures = 0, said = ''; live === mine && mine.isLive;) {
        await Live.pause();
        try {
            if (live === mine && await mine.poll() && live === mine)
                await grow(mine);
            failures = 0;
            if (said && $('error').textContent === said)
                complain('');
            said = '';
        } catch (error) {
            if (++failures === LIVE_TRIES && live === mine)
                complain(said = sentence(error));
        }
        mine.isAway = failures >= LIVE_TRIES;
        if (live === mine && playback.frame)
            showLive();
    }
    if (live === mine && mine.state === 'replaced' && $('busy').hidden) // the user opens nothing else
        await followMatch(room);
}

async function grow(mine) {
    const before = about.last;
    file = mine.blob;
    const its = await view.ask('grow', { file, hasMore: mine.isLive });
    if (live !== mine)
        return;
    Object.assign(about, its);
    playback.grow(about, mine.isLive);
    $('last').textContent = about.last;
    for (const worker of [plotter, timer])
        worker?.ask('grow', { file, hasMore: mine.isLive });
    if (plotted?.isWhole && plotted.isDone)
        plotOn(plotted);
    await timeline.grow(async (first, count) => view.ask('inputCounts', { first, count }));
    await playerEvents.show(view, about, before);
    complainOfEnd();
    showLive();
}

function goLive() {
    setSpeed(1);
    return playback.follow(about.last - LIVE_S * about.tickRate);
}

function showLive() {
    const behind = (about.last - playback.frame.tick) / about.tickRate, isNow = live.isLive && playback.isPlaying && behind < LIVE_AGAIN_S;
    const trouble = !live.isLive ? '' : live.isAway ? 'Server away' : live.quietMs ? `No new ticks for ${Math.round(live.quietMs / 1000)} s` : '';
    $('golive').textContent = trouble || (isNow ? '● live' : live.isLive ? 'Go to live' : live.state === 'damaged' ? 'Broadcast damaged'
        : live.state === 'ended' && about.end === 'clean' ? 'Match ended' : 'Broadcast ended');
    $('golive').setAttribute('aria-pressed', String(isNow && !trouble));
}

/* Two recordings */

// The view gets a worker that has both, so that their frames always belong to one tick.
async function compareWith(blob, newName, at = {}) {
    const mine = beginOpening(), worker = new Remote();
    try {
        const answer = await worker.ask('open', { file, second: blob });
        if (mine !== opening)
            return worker.end();
        beginComparison(worker, answer.second, blob, newName, at);
        const { first } = await view.ask('differences', { tick: about.first });
        await playback.seek(/^\d+$/.test(at.t ?? '') ? Number(at.t) : first ?? playback.frame?.tick ?? about.first);
    } catch (error) {
        failOpening(mine, error, worker);
    } finally {
        endOpening(mine);
    }
}

function beginComparison(worker, its, blob, newName, at) {
    dropSecond();
    if (live)
        worker.ask('grow', { file, hasMore: false }); // it may have become longer since the worker was asked
    live?.leave();
    live = null;
    $('golive').hidden = true;
    view.end();
    view = worker;
    second = { about: its, name: newName, prover: new Remote(), isServed: 'with' in at, isAsking: false };
    art.begin?.(its, 1);
    playback.begin(about);
    document.body.classList.add('comparing');
    setName($('name1'), name);
    setName($('name2'), newName);
    $('differences').hidden = $('proof2').hidden = false;
    $('others').hidden = true;
    showSchedule(false);
    setLayers();
    proveHere($('proof2'), second.prover, its, blob);
    if (its.isDamaged || its.forged)
        complain(`${newName}: ${its.isDamaged ? its.endText : its.forged}`);
}

const baseName = path => path.slice(path.lastIndexOf('/') + 1);

function setName(label, path, more = '') {
    label.textContent = `${baseName(path)}${more}`;
    label.title = path;
}

function endComparison() {
    if (!second)
        return;
    dropSecond();
    playback.seek(playback.frame.tick); // a frame and an entity of the first alone
}

function dropSecond() {
    if (!second)
        return;
    second.prover.end();
    second = map2.frame = timeline.parted = null;
    timeline.differs[1].clear();
    view.ask('single');
    document.body.classList.remove('comparing');
    $('differences').hidden = $('proof2').hidden = true;
    map.marked = map2.marked = new Set();
    timeline.draw();
}

// While the match plays, the worker may be a frame ahead: the differences are those of its frame.
async function compareStates(frame) {
    const mine = second;
    if (mine.isAsking)
        return;
    mine.isAsking = true;
    const asked = playback.isPlaying ? {} : { tick: frame.tick };
    let found = null;
    try {
        found = await view.ask('differences', asked);
    } catch (error) {
        if (mine === second)
            complain(sentence(error));
    } finally {
        mine.isAsking = false;
    }
    if (!found || mine !== second)
        return;
    map.marked = map2.marked = new Set(found.entities);
    timeline.parted = found.first ?? null;
    timeline.draw();
    showDifferences($('differing'), found, baseName(name) === baseName(mine.name) ? ['left', 'right'] : [baseName(name), baseName(mine.name)], { seek: tick => playback.seek(tick), pick: pickText });
    if (!playback.isPlaying && playback.frame.tick !== (asked.tick ?? found.tick))
        compareStates(playback.frame);
}

/* A frame */

function arrived(frame) {
    map.frame = frame;
    art.arrive?.(frame);
    map.cover(frame, art.bounds?.(about));
    sound.hear(frame, map.scene(1), playback.isPlaying && playback.speed <= LOUD_SPEED_MAX);
    if (!second)
        map.marked = new Set(findingsAt(frame.tick).map(({ entity }) => entityLow(about, entity ?? '')));
    if (second && frame.other) {
        map2.frame = frame.other;
        art.arrive?.(frame.other, 1);
        map2.cover(frame.other, art.bounds?.(about));
        setName($('name2'), second.name, frame.other.tick === frame.tick ? '' : `, tick ${frame.other.tick}`);
        showPlayers($('players2'), playersOf(frame.other, 1));
    }
    timeline.tick = frame.tick;
    if (live)
        showLive();
    $('root').textContent = frame.world.root;
    $('line').textContent = art.players ? '' : `${frame.layers.length ? '' : 'Nothing here has a position: search for entities. '}${frame.world.line}`;
    $('clock').textContent = `· ${(frame.tick / about.tickRate).toFixed(1)} of ${(about.last / about.tickRate).toFixed(1)} s`;
    if (document.activeElement !== $('jumpto'))
        $('jumpto').value = frame.tick;
    const diverged = frame.diverged || frame.other?.diverged && `${second?.name}: ${frame.other.diverged}`;
    if (diverged) {
        complain(sentence({ message: diverged }));
        [frame, frame.other].forEach((its, side) => its?.diverged && timeline.differs[side].add(its.tick));
        timeline.draw();
    }
    showPlayers($('players'), playersOf(frame, 0));
    if (!playback.isPlaying || performance.now() - inspectedMs > INSPECT_MS)
        inspect(frame);
}

const playersOf = (frame, side) => art.players?.(frame, side) ?? [];

async function inspect(frame) {
    inspectedMs = performance.now();
    if (chosen && frame.entity && frame.entity.low === chosen.low) {
        chosen = { low: frame.entity.low, high: frame.entity.high };
        showEntity($('inspector'), frame.entity, follows, { pick: pickText, plot, follow, leave: () => choose(null) }, findingsAt(frame.tick));
    } else if (!chosen) {
        showWorld($('inspector'), frame.world, { pick: pickText }, findingsAt(frame.tick));
    }
    if (plotted && !$('plot').hidden)
        showPlot();
    if (second && frame.other)
        compareStates(frame);
    if (!playback.isPlaying) {
        writeHash();
        if ($('inputs').open)
            showInputs(frame.tick);
    }
}

async function showInputs(tick) {
    const inputs = tick < about.last ? await view.ask('inputs', { tick }) : [];
    $('inputs').querySelector('ul').replaceChildren(...inputs.length === 0 ? [make('li', { textContent: 'none' })]
        : inputs.map(({ player, kind, bytes }) => make('li', {}, `player ${player}: ${kind} `, make('code', { textContent: bytes }))));
}

async function choose(entity) {
    chosen = entity;
    follows = follows && entity !== null;
    if (!playback.frame)
        return;
    const found = entity && await view.ask('describe', { entity });
    if ((entity?.low ?? null) !== (chosen?.low ?? null))
        return; // another choice since
    if (entity && !found)
        $('found').replaceChildren(`${entityText(about, entity.low)} does not live at this tick.`);
    chosen = found;
    playback.frame.entity = found; // of the frame that is shown by now
    if (!entity || found)
        inspect(playback.frame);
}

function pickText(text) {
    const low = entityLow(about, text);
    if (Number.isNaN(low))
        return false;
    return choose({ low }).then(() => true);
}

function follow() {
    follows = !follows && chosen !== null;
    if (playback.frame)
        inspect(playback.frame);
}

// Ends a worker that has failed, so that the next one begins anew. Gives the one that stays in its place.
function giveUp(failed, present) {
    failed.end();
    return failed === present ? null : present;
}

/* Search and plot */

async function search(text) {
    const [, path, operator, value] = /^\s*([\w.]+)\s*(?:(!=|<=|>=|=|<|>)\s*([\w.-]+))?\s*$/.exec(text) ?? [];
    const say = (...nodes) => $('found').replaceChildren(...nodes);
    if (!text.trim())
        return say();
    if (pickText(text))
        return say();
    const like = word => word.toLowerCase() === path?.toLowerCase(); // the first in the right case, else in any
    const first = (all, fits) => all.find(each => fits(each, word => word === path)) ?? all.find(each => fits(each, like));
    const field = operator && first(numberFields(about, 0), (each, is) => is(each.path) || is(each.name));
    const component = first(about.components, (each, is) => is(each.name) && !each.isSingleton);
    const column = field ? field.column : about.components.indexOf(component);
    if (column < 0 || operator && !field)
        return say(`Nothing is called ${path ?? text}. Search for ${searchExample()} or ${about.components.find(each => !each.isSingleton).name}.`);
    const named = field?.names?.findIndex(each => each.toLowerCase() === value.toLowerCase()) ?? -1;
    if (operator && named < 0 && Number.isNaN(Number(value)))
        return say(`${value} is no value of ${field.path}: give a number${field.names ? ` or one of ${field.names.join(', ')}` : ''}.`);
    const { found, all } = await view.ask('find', { column, field: field || null, operator, value: named < 0 ? Number(value) : named });
    say(`${all} ${all === 1 ? 'entity' : 'entities'} `, ...found.map(entity =>
        make('button', { type: 'button', textContent: entityText(about, entity.low), onclick: () => choose(entity) })));
}

async function plot(component, field) {
    const entity = chosen, worker = plotter ??= new Remote();
    try {
        await worker.open({ file });
    } catch (error) {
        plotter = giveUp(worker, plotter);
        complain(sentence(error));
        return;
    }
    const seconds = Number($('plotrange').value), half = seconds * about.tickRate / 2, { tick } = playback.frame;
    const first = seconds ? Math.max(about.first, Math.round(tick - half)) : about.first;
    const last = seconds ? Math.min(about.last, Math.round(tick + half)) : about.last;
    const mine = plotted = { component, field, entity, points: [], first, last, isWhole: !seconds, isDone: false,
        step: Math.max(1, Math.ceil((last - first) / PLOT_POINTS)) };
    $('plot').hidden = false;
    $('plotname').textContent = `${entityText(about, entity.low)} ${component}.${field}`;
    return plotOn(mine);
}

function showPlot() {
    drawPlot($('plotcanvas'), { ...plotted, tick: playback.frame.tick });
    $('plotcanvas').ariaLabel = `${$('plotname').textContent}, ${describePlot(plotted)}`;
}

// Goes on to the last tick of the plot; that of a whole match becomes longer with it.
async function plotOn(mine) {
    const before = mine.points, { low, high } = mine.entity, { component, field, step } = mine;
    const first = before.length ? before.at(-1)[0] + step : mine.first, last = mine.last = mine.isWhole ? about.last : mine.last;
    if (first > last)
        return;
    mine.isDone = false;
    try {
        await plotter.ask('plot', { low, high, component, field, first, last, step }, ({ points }) => {
            mine.points = [...before, ...points];
            if (mine === plotted)
                showPlot();
        });
        mine.isDone = true;
    } catch (error) {
        complain(sentence(error));
    }
}

/* The schedule */

// Measured by a worker of its own, so that the map does not wait.
async function showSchedule(isOpen = $('schedule').hidden) {
    $('schedule').hidden = !isOpen;
    $('schedulekey').setAttribute('aria-expanded', String(isOpen));
    document.body.classList.toggle('scheduling', isOpen);
    schedule.stop();
    if (!isOpen)
        return;
    const mine = timer ??= new Remote();
    try {
        await mine.open({ file, isMeasured: true });
        if (mine === timer && !$('schedule').hidden)
            await schedule.run(tick => mine.ask('schedule', { tick }), () => playback.frame?.tick ?? about.first);
    } catch (error) {
        timer = giveUp(mine, timer);
        complain(sentence(error));
    }
}

/* Links: #f=match.lsr&t=1234&e=units/17, and &with=other.lsr to compare */

function readHash() {
    const values = new URLSearchParams(location.hash.slice(1));
    return Object.fromEntries(values);
}

function writeHash() {
    if (location.hash !== hashText)
        return; // Back, Forward or another link: followHash() is about to be called
    const beside = second?.isServed ? `&with=${encodeURIComponent(second.name)}` : '', entity = chosen ? `&e=${entityText(about, chosen.low)}` : '';
    const text = `#${live ? `live=${encodeURIComponent(live.room)}&` : served ? `f=${encodeURIComponent(served)}&` : ''}t=${playback.frame.tick}${entity}${beside}`;
    setAddress('replaceState', text);
}

// A browser may refuse it for a while when it is done often.
function setAddress(how, address) {
    try {
        history[how](null, '', address);
    } catch (error) {
        console.info(error.message);
    }
    hashText = location.hash;
}

async function goTo({ t, e }) {
    $('found').replaceChildren();
    const tick = /^\d+$/.test(t ?? '') ? Number(t) : playback.frame?.tick ?? about.first;
    await playback.seek(tick);
    if (e && !await pickText(e))
        $('found').replaceChildren(`No entity is called ${e}.`);
}

// #list= lists the recordings and running matches of a server, as no link at all does; #live=ROOM follows one. The
// browser's Back and Forward lead here, too.
async function followHash() {
    const link = readHash();
    if (location.hash === hashText)
        return;
    hashText = location.hash;
    if ('list' in link || !about && !link.live && !link.f || location.hash.length < 2)
        return showStart('list' in link, link.t);
    if (link.live && link.live !== live?.room)
        return followMatch(link.live, link);
    if (link.f && link.f !== served) {
        if (!await fetchRecording(link.f, openRecording, link))
            return;
    } else if (about) {
        overtake();
        if (!link.with)
            dropSecond();
        await goTo(link);
    }
    if (link.with && about && link.with !== second?.name)
        await fetchRecording(link.with, compareWith, link);
}

// `opened` is openRecording() or compareWith().
async function fetchRecording(path, opened, link) {
    const asked = beginOpening();
    try {
        const address = new URL(path.split('/').map(encodeURIComponent).join('/'), location.href);
        if (address.origin !== location.origin)
            throw new Error(`${path} is not on the server of this page: download it, and open the file`);
        const answer = await fetchFile(address, path);
        if (!answer)
            throw new Error(`the server has no ${path}`);
        const blob = await answer.blob();
        return asked === opening && await opened(blob, path, link);
    } catch (error) {
        failOpening(asked, error instanceof TypeError ? new Error(`${path} cannot be fetched whole: its server has broken off`) : error);
        return false;
    } finally {
        endOpening(asked);
    }
}

// The first screen has what the server has to watch and to play. `isList`: the link asks for its list.
async function showStart(isList, tick) {
    const mine = overtake();
    leaveRecording();
    complain('');
    $('others').hidden = true;
    showSchedule(false);
    map.frame = null;
    document.body.classList.add('empty');
    document.title = $('title').textContent = $('title').title = 'Lockstep viewer';
    $('summary').textContent = '';
    $('wanted').hidden = !tick;
    await listShelf(mine, isList);
}

// A sentence that is told already stays.
async function listShelf(mine, isList) {
    let damage = null;
    const note = error => void (damage = error);
    const shelf = await fetchShelf().catch(note), rooms = shelf?.live ?? isList ? await fetchRooms().catch(note) ?? [] : [];
    if (mine !== opening)
        return;
    isListed = true;
    if (damage && $('error').hidden)
        complain(sentence(damage));
    else if (isList && !shelf && !damage)
        complain('This server has no list of recordings: open one, or let `lockstep watch --web FOLDER` serve a folder of them.');
    showShelf(shelf, rooms, { open: openLink, follow: room => location.hash = `#live=${encodeURIComponent(room)}` });
}

// What the recording can be compared with: others of the same simulation that the server has, and a file.
async function chooseOther(isOpen = $('others').hidden) {
    $('others').hidden = true;
    const mine = opening, tell = error => void (mine === opening && complain(sentence(error)));
    const all = isOpen ? (await fetchShelf().catch(tell))?.recordings ?? [] : [];
    const others = all.filter(({ path, simulation }) => simulation === about?.simulation && path !== served);
    if (!isOpen || mine !== opening)
        return;
    if (!others.length) {
        $('file2').click();
        return;
    }
    $('others').querySelector('ul').replaceChildren(...others.map(other => make('li', {}, make('button', { type: 'button', textContent: other.name, onclick: () => {
        chooseOther(false);
        fetchRecording(other.path, compareWith, { with: other.path });
    } }))));
    $('others').hidden = false;
    $('others').querySelector('button').focus();
}

function openLink(path) {
    location.hash = `#f=${encodeURIComponent(path)}`;
}

/* Controls */

function setSpeed(speed) {
    playback.speed = speed;
    $('speed').value = speed;
}

function changeSpeed(by) {
    setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(playback.speed) + by))]);
}

function stepBy(ticks) {
    playback.isPlaying = false;
    return playback.seek(playback.frame.tick + ticks);
}

function showHelp(isOpen = $('keys').hidden) {
    $('keys').hidden = !isOpen;
    $('help').setAttribute('aria-expanded', String(isOpen));
}

const PANS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const keys = {
    ' ': () => playback.toggle(),
    ArrowRight: () => stepBy(1), '.': () => stepBy(1),
    ArrowLeft: () => stepBy(-1), ',': () => stepBy(-1),
    PageDown: () => playback.seek(playback.frame.tick + 10 * about.tickRate),
    PageUp: () => playback.seek(playback.frame.tick - 10 * about.tickRate),
    Home: () => playback.seek(about.first),
    End: () => playback.seek(about.last),
    '+': () => changeSpeed(1), '=': () => changeSpeed(1), '-': () => changeSpeed(-1),
    g: () => $('jumpto').select(),
    '/': () => $('query').focus(),
    f: follow,
    ArrowDown: () => schedule.step(1), ArrowUp: () => schedule.step(-1),
    0: () => map.fit(),
    '?': () => showHelp(),
    c: () => chooseOther(),
    s: () => showSchedule(),
    l: () => live && goLive(),
    m: () => sound.toggle(),
    Escape: () => !$('keys').hidden ? showHelp(false) : !$('others').hidden ? chooseOther(false) : $('schedule').hidden ? choose(null) : showSchedule(false),
};

function press(event) {
    const { target } = event;
    const isTyping = target.matches('select, textarea') || target.matches('input') && target.type !== 'range';
    if (event.key === 'Escape')
        target.blur();
    const pan = event.shiftKey && PANS[event.key];
    if (event.key === '?' && !isTyping && !about)
        return showHelp();
    if (event.key === 'Escape' && !about)
        return showHelp(false);
    if (isTyping || !about || !playback.frame || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key])
        return;
    if (event.key === ' ' && target.matches('button, summary') || /^Arrow(Up|Down)$/.test(event.key) && !pan && $('schedule').hidden)
        return; // presses it; scrolls, or moves the slider
    event.preventDefault();
    if (pan)
        return map.pan(...pan.map(step => step * PAN_PIXELS));
    keys[event.key]();
}

function connect() {
    $('speed').replaceChildren(...SPEEDS.map(speed => make('option', { value: speed, textContent: `${speed}×` })));
    setSpeed(1);
    $('file').addEventListener('change', ({ target }) => {
        if (target.files[0])
            openLocal(target.files[0]);
        target.value = '';
    });
    $('file2').addEventListener('change', ({ target }) => {
        if (target.files[0])
            compareWith(target.files[0], target.files[0].name);
        target.value = '';
    });
    for (const button of document.querySelectorAll('[data-file]'))
        button.addEventListener('click', () => openLink(button.dataset.file));
    const click = (id, action) => $(id).addEventListener('click', action);
    const ifShown = action => () => playback.frame && action(); // the first state of a large recording takes a while
    click('play', ifShown(() => playback.toggle()));
    click('back', ifShown(() => stepBy(-1)));
    click('step', ifShown(() => stepBy(1)));
    click('closer', () => map.zoom(1.4));
    click('farther', () => map.zoom(1 / 1.4));
    click('fit', () => map.fit());
    click('help', () => showHelp());
    click('open', () => $('file').click());
    click('openfirst', () => $('file').click());
    click('golive', () => goLive());
    click('recordings', () => location.hash = '#list=');
    click('compare', () => chooseOther());
    click('otherfile', () => {
        chooseOther(false);
        $('file2').click();
    });
    click('compareend', endComparison);
    click('schedulekey', () => showSchedule());
    click('scheduleclose', () => showSchedule(false));
    click('plotclose', () => {
        $('plot').hidden = true;
        plotted = null;
    });
    click('link', ifShown(() => {
        writeHash();
        const isLocal = !live && !readHash().f;
        navigator.clipboard?.writeText(location.href).catch(() => {});
        $('link').textContent = isLocal ? 'Only tick and entity are in it: give the file along' : 'In the address bar';
        setTimeout(() => $('link').textContent = 'Link', isLocal ? LOCAL_LINK_MS : LINK_MS);
    }));
    $('speed').addEventListener('change', ({ target }) => setSpeed(Number(target.value)));
    $('colour').addEventListener('change', ifShown(() => {
        setLayers();
        playback.seek(playback.frame.tick);
    }));
    $('plotrange').addEventListener('change', () => plotted && chosen && plot(plotted.component, plotted.field));
    $('inputs').addEventListener('toggle', ifShown(() => $('inputs').open && showInputs(playback.frame.tick)));
    const submit = (id, action) => $(id).addEventListener('submit', event => {
        event.preventDefault();
        action();
    });
    submit('search', () => search($('query').value));
    submit('jump', () => {
        $('jumpto').blur();
        const wanted = $('jumpto').value.trim();
        if (/^\d+$/.test(wanted)) {
            goTo({ t: wanted });
        } else {
            $('found').replaceChildren(`${wanted || 'Nothing'} is no tick: give a number from ${about.first} to ${about.last}.`);
            $('jumpto').value = playback.frame.tick;
        }
    });
    addEventListener('keydown', press);
    addEventListener('hashchange', followHash);
    addEventListener('unhandledrejection', complainOfFault);
    addEventListener('resize', () => timeline.draw());
    darkness.addEventListener('change', () => timeline.draw());
    acceptDrops($('stage'), () => about !== null, (dropped, zone) =>
        zone === 'right' ? compareWith(dropped, dropped.name) : openLocal(dropped));
}

// A file of this machine has no address: the link keeps only tick and entity, and gives them to the first file.
function openLocal(local) {
    const { t, e, f } = readHash();
    return openRecording(local, local.name, about || f || !t ? {} : { t, ...e && { e } });
}

function draw(now) {
    requestAnimationFrame(draw);
    playback.run(now);
    const share = playback.share(now);
    const time = ((playback.frame?.tick ?? 0) - 1 + share) / (about?.tickRate ?? 1);
    map.draw(art, share, { chosen, follows, isDark: darkness.matches, time });
    if (second)
        map2.draw(art, share, { chosen, follows: false, isDark: darkness.matches, time });
    const label = playback.isPlaying ? 'Pause' : 'Play';
    if ($('play').ariaLabel !== label) {
        $('play').ariaLabel = label;
        $('play').textContent = playback.isPlaying ? '❚❚' : '▶';
        if (!playback.isPlaying && playback.frame)
            inspect(playback.frame);
    }
}

connect();
requestAnimationFrame(draw);
followHash();
