// The page of a player: joins a match through the server of this page, shows it, and gives orders. play-worker.js runs
// the session. The link may have #sim=NAME&key=SERVER_KEY&room=ROOM&name=NAME&predict=TICKS, and via=channel behind a
// gateway (web/gateway).
import { artOf } from './art.js';
import { openChannel } from './channel.js';
import { CommandMap } from './command.js';
import { guessLayers } from './fields.js';
import { make } from './inspector.js';
import { colourOf } from './map.js';
import { showPlayers } from './players.js';
import { Sound } from './sound.js';
import { SteerMap } from './steer.js';
import { stored } from './stored.js';

const SEAT = 'lockstep-seat', KEY = 'lockstep-server-key', NAME = 'lockstep-name';
const PREDICT_TICKS = 8, SILENT_MS = 2000, PAN_PIXELS = 60, REFUSED_MS = 3000;
const $ = id => document.getElementById(id);
const link = new URLSearchParams(location.hash.slice(1));
let refusedMs = -Infinity; // before artOf(), which calls refused() when the art does not load
const simulation = link.get('sim') ?? 'skirmish', art = await artOf(simulation, error => refused(error.message)), { controls, steering } = art;
const darkness = matchMedia('(prefers-color-scheme: dark)');
const canPlay = Boolean(controls || steering), NO_CONTROLS = `This page has no controls for ${simulation}: it can only watch.`;
const buttons = { groups: [], kinds: [] };
let worker = null, ended = null, about = null, status = null, arrivedMs = 0, texts = null, isSpectator = false;
let groups = 0, kind = controls?.kinds[0], counts = [];

const map = steering ? new SteerMap($('map'))
    : new CommandMap($('map'), $('box'), { tapped, boxed, ordered: (x, y) => order(...map.toWorld(x, y)) });
const sound = new Sound($('sound'), error => refused(error.message), true);
sound.begin(art);

/* What this browser keeps: the seat for a reload of this tab, the server's key and the name for later matches. */

const readSeat = () => JSON.parse(stored('sessionStorage', SEAT) ?? 'null');
const serverKey = () => link.get('key') ?? stored('localStorage', KEY) ?? '';

function keepSeat({ key, secret }) {
    if (key && status && status.state !== 'refused' && !link.get('key'))
        stored('localStorage', KEY, key);
    if (secret && !isSpectator)
        stored('sessionStorage', SEAT, JSON.stringify({ simulation, key, secret, texts }));
}

/* Entering and ending */

function begin(secret) {
    const [name, room, password, token] = texts;
    ended?.terminate();
    about = status = null;
    told = '';
    counts = [];
    map.reset();
    sound.begin(art);
    const mine = worker = new Worker('./play-worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => {
        for (const [what, value] of mine === worker ? Object.entries(data) : [])
            hear[what](value);
    };
    worker.onerror = event => {
        event.preventDefault();
        if (mine === worker)
            end(event.message || 'The engine could not be started.');
    };
    const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/[\d.]+/.exec(navigator.userAgent)?.[0] ?? 'browser';
    worker.postMessage({ run: 'begin', simulation, isSpectator, predictTicks: Number(link.get('predict') ?? PREDICT_TICKS) >>> 0,
        address: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/play`,
        channel: link.get('via') === 'channel',
        texts: [name, room, password, token, serverKey(), secret, `WebAssembly in ${browser}`] });
    document.body.classList.remove('entering');
    document.body.classList.toggle('watching', isSpectator || !canPlay);
    $('seat').textContent = $('hint').textContent = '';
    $('failure').hidden = true;
    busy('Asking the server…');
}

function enter(watches) {
    isSpectator = watches;
    texts = [$('name').value.trim(), $('room').value.trim(), $('password').value, token()];
    stored('localStorage', NAME, texts[0]);
    stored('sessionStorage', SEAT, null);
    begin('');
}

// The file of a token ends with a newline, which a text field may drop: trims the text and adds one.
function token() {
    const text = $('token').value.trim();
    return text && `${text}\n`;
}

function sentence(text) {
    return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;
}

function busy(text) {
    $('busy').textContent = text;
    $('busy').hidden = !text;
}

function notice(text, isBad = false) {
    if ($('notice').textContent !== text)
        $('notice').textContent = text;
    $('notice').hidden = !text;
    $('notice').classList.toggle('bad', isBad);
}

function refused(reason) {
    refusedMs = performance.now();
    notice(sentence(reason));
}

const HEADINGS = { ended: 'The match is over', refused: 'The server refused', lost: 'The server is gone', failed: 'The match failed' };
// Of a reason, before those of a state.
const REASONS = [[/: another session has taken its seat/, 'You play in another tab or window'],
    [/^the server ended the session/, 'The server has ended your session'], [/^left/, 'You have left the match'], [/all seats are taken/, 'The match is full']];
const FULL_REMEDY = ' A seat that a player has left may be kept for a minute: try again then, or watch.';

function end(reason, state) {
    stored('sessionStorage', SEAT, null);
    busy('');
    notice('');
    $('heading').textContent = REASONS.find(([pattern]) => pattern.test(reason))?.[1] ?? HEADINGS[state] ?? 'This page cannot play';
    $('words').hidden = true;
    $('failure').textContent = `${sentence(reason)}${/all seats are taken/.test(reason) ? FULL_REMEDY : ''}`;
    $('failure').hidden = false;
    sound.end();
    $('join').textContent = about ? 'Join again' : 'Try again';
    document.body.classList.add('entering');
    ended = worker; // it sends what it still has to
    worker = null;
    $('join').focus();
}

/* What the worker says */

const WAITING = { handshake: 'Asking the server…', connecting: 'Connecting…', loading: 'Loading the state of the match…' };

const hear = {
    failed: reason => end(reason),
    seat: keepSeat,
    channel: openChannel,
    match(match) {
        about = match;
        art.begin?.(about);
        worker.postMessage({ run: 'plan', layers: art.layers?.(about) ?? guessLayers(about, '') });
        document.title = $('title').textContent = `Lockstep · ${match.simulation}`;
        if (isSpectator)
            $('seat').textContent = 'You watch this match, without a seat';
    },
    refused,
    status(newStatus) {
        const wasPlaying = status?.isPlaying;
        status = newStatus;
        if (status.isFinal && worker) {
            showStatus();
            end(status.reason, status.state);
            return;
        }
        busy(WAITING[status.state] ?? (map.frame ? '' : 'Waiting for the first tick…'));
        if (status.isPlaying && !wasPlaying)
            beginPlaying();
        if (status.said)
            refusedMs = performance.now();
        if (performance.now() - refusedMs > REFUSED_MS || status.said)
            notice(...newsOf());
        showStatus();
    },
    frame(frame) {
        const { layers, tick } = frame;
        map.frame = frame;
        arrivedMs = performance.now();
        map.cover(frame, art.bounds?.(about));
        art.arrive?.(frame);
        sound.hear(frame, map.scene(1), true);
        showScores(frame);
        countGroups(layers);
        document.body.dataset.tick = tick;
    },
};

function newsOf() {
    if (status.desync)
        return [`This browser's state differed from the server's at tick ${status.desync.tick}.`, true];
    if (status.state === 'resuming')
        return [`The connection is lost: ${status.reason}. Trying to come back…`, true];
    if (status.silenceMs > SILENT_MS)
        return ['The server is silent.', true];
    if (status.isPaused)
        return ['The match is paused.'];
    return [status.said ?? ''];
}

function showStatus() {
    const delay = status.behindUs ? `${Math.round(status.behindUs / 1000)} ms behind the server · ` : '';
    const trip = status.rttUs ? `${Math.round(status.rttUs / 1000)} ms round trip · ` : '';
    const desyncs = status.desync ? 1 : 0;
    $('status').textContent = `tick ${status.confirmed ?? 0} · ${delay}${trip}${status.roots} roots compared · ${desyncs} desyncs`;
    $('status').classList.toggle('bad', desyncs > 0);
    Object.assign($('status').dataset, { tick: status.confirmed ?? '', root: status.root ?? '', state: status.state, roots: status.roots,
        desyncs, player: status.player, resumes: status.resumes, late: status.lateUs, arrived: status.arrivedUs });
}

/* The army */

function beginPlaying() {
    document.body.style.setProperty('--seat', art.players ? colourOf(status.player) : '');
    if (isSpectator)
        return;
    $('seat').replaceChildren(canPlay ? 'You are ' : 'You watch, in the seat of ', make('b', {}, `player ${status.player + 1}`), texts[0] ? ` (${texts[0]})` : '');
    $('hint').textContent = steering?.hint ?? controls?.hint ?? NO_CONTROLS;
    choose((1 << (controls?.groups.length ?? 0)) - 1);
}

function showScores(frame) {
    const own = isSpectator ? -1 : status?.player, panel = $('players');
    const players = art.players?.(frame) ?? [];
    showPlayers(panel, players.map((player, at) => at === own ? { ...player, name: 'You' } : player));
    [...panel.children].forEach((item, at) => item.classList.toggle('own', at === own));
}

const isCommanding = () => Boolean(controls && status?.isPlaying && map.frame && !isSpectator);
const armyOf = () => map.frame.layers[controls.layer];
const isOwn = i => armyOf().fields[controls.owner][i] === status.player && armyOf().fields[controls.group][i] < controls.groups.length;
const groupAt = i => 1 << armyOf().fields[controls.group][i];

function countGroups(layers) {
    if (!isCommanding())
        return;
    const fields = layers[controls.layer].fields, now = controls.groups.map(() => 0);
    for (let i = 0; i < layers[controls.layer].count; i++) {
        if (isOwn(i))
            now[fields[controls.group][i]]++;
    }
    now.forEach((count, at) => {
        if (counts[at] !== count)
            buttons.groups[at].lastChild.textContent = count;
    });
    counts = now;
}

function choose(newGroups) {
    groups = newGroups;
    const all = (1 << buttons.groups.length) - 1;
    buttons.groups.forEach((button, at) => button.setAttribute('aria-pressed', String(Boolean(groups >> at & 1))));
    $('all')?.setAttribute('aria-pressed', String(groups === all));
}

function chooseKind(newKind) {
    kind = newKind;
    buttons.kinds.forEach((button, at) => button.setAttribute('aria-checked', String(controls.kinds[at] === kind)));
    if (kind.needsNoPlace) {
        order(0, 0);
        chooseKind(controls.kinds[0]);
    }
}

function tapped(x, y, isAdding) {
    if (!isCommanding())
        return;
    const row = map.near(armyOf(), x, y, isOwn);
    if (row >= 0)
        choose(isAdding ? groups ^ groupAt(row) : groupAt(row));
    else
        order(...map.toWorld(x, y));
}

function boxed(area, isAdding) {
    if (!isCommanding())
        return;
    const found = map.within(armyOf(), area, isOwn).reduce((all, row) => all | groupAt(row), 0);
    if (found)
        choose(isAdding ? groups | found : found);
}

function order(x, y) {
    if (!isCommanding())
        return;
    if (!groups) {
        hear.refused('choose a group first');
        return;
    }
    const { xy, count } = armyOf(), middle = [0, 0];
    let size = 0;
    for (let i = 0; i < count; i++) {
        if (isOwn(i) && groups & groupAt(i)) {
            middle[0] += xy[2 * i];
            middle[1] += xy[2 * i + 1];
            size++;
        }
    }
    const from = size ? middle.map(sum => sum / size) : [x, y];
    worker.postMessage({ run: 'order', bytes: controls.order(kind.value, groups, x, y, ...from) });
    $('hint').textContent = ''; // it was of the first order
}

/* A state that is held: for every tick, what keys and pointer say at that time. */

const pressed = new Set();
let told = '';

function steer() {
    if (!steering || isSpectator || !status?.isPlaying || !map.frame)
        return;
    const bytes = map.aim && !pressed.size ? steering.towards(map.frame, status.player, ...map.toWorld(map.aim.x, map.aim.y))
        : steering.held(pressed);
    if (String(bytes) !== told)
        worker?.postMessage({ run: 'state', bytes });
    told = String(bytes);
}

function hold(key, isDown) {
    const what = steering?.keys[key];
    if (isDown && what)
        pressed.add(what);
    else
        pressed.delete(what);
    steer();
    return Boolean(what);
}

/* Buttons and keys */

function makeButtons() {
    const all = (1 << controls.groups.length) - 1;
    buttons.groups = controls.groups.map((name, at) => {
        const button = make('button', { type: 'button', title: `Group ${at + 1}: ${name} (${at + 1})`, ariaPressed: 'false' }, `${at + 1} ${name}`, make('small'));
        button.onclick = event => choose(event.shiftKey ? groups ^ 1 << at : 1 << at);
        return button;
    });
    const everything = make('button', { id: 'all', type: 'button', title: 'All groups (a)', ariaPressed: 'false' }, 'All');
    everything.onclick = () => choose(all);
    $('groups').append(everything, ...buttons.groups);
    buttons.kinds = controls.kinds.map(its => {
        const button = make('button', { type: 'button', role: 'radio', title: `${its.name}: ${its.help} (${its.key})` }, its.name);
        button.onclick = () => chooseKind(its);
        return button;
    });
    $('kinds').append(...buttons.kinds);
    chooseKind(kind);
}

function makeKeys() {
    const rows = controls ? [[`1 – ${controls.groups.length}`, 'choose a group; with Shift, add it'], ['a', 'all groups'],
        ...controls.kinds.map(({ key, help }) => [key, help]), ['click', 'own unit: its group; elsewhere: the order'],
        ['drag', 'choose all groups in the box'], ['right click', 'the order']] : steering?.help.slice() ?? [];
    if (!steering)
        rows.push(['arrows', 'move the map']);
    if (controls)
        rows.push(['Enter', 'the order to the middle of the map']);
    rows.push(['+ −, wheel', 'zoom'], ['0', 'the whole map']);
    if (sound.isPossible)
        rows.push(['m', 'sound on and off']);
    $('keys').append(...rows.flatMap(([key, words]) => [make('dt', {}, key), make('dd', {}, words)]));
}

function press(key, isAdding) {
    const pans = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const group = Number(key) - 1, chosen = controls?.kinds.find(its => its.key === key);
    if (pans[key])
        map.pan(...pans[key].map(step => step * PAN_PIXELS));
    else if (key === 'Enter' && controls && !document.activeElement.matches('button'))
        order(...map.toWorld(...map.size.map(length => length / 2)));
    else if (key === '0')
        map.fit();
    else if (key === '+' || key === '-')
        map.zoom(key === '+' ? 1.25 : 0.8);
    else if (key === '?')
        showKeys($('keys').hidden);
    else if (key === 'Escape')
        showKeys(false);
    else if (controls && key === 'a')
        choose((1 << controls.groups.length) - 1);
    else if (chosen)
        chooseKind(chosen);
    else if (group >= 0 && group < (controls?.groups.length ?? 0))
        choose(isAdding ? groups ^ 1 << group : 1 << group);
    else if (key === 'm')
        sound.toggle();
    else
        return false;
    return true;
}

function showKeys(isShown) {
    $('keys').hidden = !isShown;
    $('help').setAttribute('aria-expanded', String(isShown));
}

const keyOf = ({ key }) => key.length === 1 ? key.toLowerCase() : key;

addEventListener('keydown', event => {
    const isTyping = document.body.classList.contains('entering') || event.ctrlKey || event.altKey || event.metaKey;
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1]; // with Shift, its key is another sign
    if (!isTyping && (hold(keyOf(event), true) || press(digit ?? event.key, event.shiftKey)))
        event.preventDefault();
});
addEventListener('keyup', event => hold(keyOf(event), false));
addEventListener('blur', () => {
    pressed.clear();
    steer();
});
$('entrance').onsubmit = event => {
    event.preventDefault();
    enter(false);
};
$('watch').onclick = () => enter(true);
$('leave').onclick = () => worker?.postMessage({ run: 'leave' });
$('help').onclick = () => showKeys($('keys').hidden);
$('zoomin').onclick = () => map.zoom(1.4);
$('zoomout').onclick = () => map.zoom(1 / 1.4);
$('whole').onclick = () => map.fit();
addEventListener('hashchange', () => location.reload());

function draw(time) {
    requestAnimationFrame(draw);
    if (!map.frame || !about)
        return;
    const share = Math.min(1, (time - arrivedMs) * about.tickRate / 1000);
    map.draw(art, share, { chosen: null, follows: false, isDark: darkness.matches, time: time / 1000,
        command: isCommanding() || (steering && status?.isPlaying && !isSpectator) ? { player: status.player, groups } : null });
    steer();
    worker?.postMessage({ run: 'drawn' });
}

if (controls)
    makeButtons();
if (!canPlay)
    $('words').textContent = `${NO_CONTROLS} Join takes the seat of a player who gives no orders; Watch only takes none.`;
makeKeys();
$('name').value ||= link.get('name') ?? stored('localStorage', NAME) ?? '';
$('room').value ||= link.get('room') ?? '';
$('join').disabled = $('watch').disabled = false; // before, the browser itself would send the form
$('loading').hidden = true;
const seat = readSeat();
if (seat && seat.simulation === simulation && (!serverKey() || seat.key === serverKey())) {
    texts = seat.texts;
    begin(seat.secret);
} else if (!$('entrance').contains(document.activeElement)) {
    $('name').focus();
}
requestAnimationFrame(draw);
