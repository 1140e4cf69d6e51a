// Runs a player's session beside the page: the module NAME_play.wasm (web/play.h), and its WebSocket. A worker's timers
// go on while the page is in the background.
// The page sends { run: 'begin' | 'plan' | 'drawn' | 'order' | 'state' | 'leave', ... }; the worker answers with { failed }, { match },
// { seat }, { status }, { frame } and { channel }: a port, whose other end is used as a socket (channel.js).
import { UNSENT_BYTES_MAX, joinChannels } from './channels.js';
import { Engine, fetchModule } from './engine.js';
import { readLayers } from './layers.js';

const UPDATE_MS = 8, STATUS_MS = 250;
const CONTROL = 1;
let engine, socket, url, hasGateway, match, plan, before = [], shown = -1, isDrawn = true, status, statusAt = -Infinity, seatText, held = null, isOver = false;

async function load(name) {
    const module = await fetchModule(`${name}_play.wasm`);
    if (!module)
        throw new Error(`this page has no module to play '${name}'`);
    return module;
}

const copyIn = bytes => new Uint8Array(engine.exports.memory.buffer, engine.call('buffer') >>> 0).set(bytes);

// Data channels, which only the page can open (channel.js).
class ChannelSocket {
    constructor() {
        const { port1, port2 } = new MessageChannel();
        Object.assign(this, { port: port1, readyState: WebSocket.CONNECTING, bufferedAmount: 0 });
        port1.onmessage = ({ data }) => this.hear(data);
        postMessage({ channel: port2 }, [port2]);
    }

    hear(data) {
        if (data === 'open')
            this.opened();
        else if (data === 'close')
            this.closed();
        else if (data.control)
            this.send = joinChannels(data, { opened: () => this.opened(), closed: () => this.closed(), heard: bytes => this.onmessage({ data: bytes }) });
        else
            this.onmessage({ data });
    }

    opened() {
        this.readyState = WebSocket.OPEN;
        this.port.postMessage('open');
        this.onopen();
    }

    closed() {
        if (this.readyState === WebSocket.CLOSED)
            return;
        this.readyState = WebSocket.CLOSED;
        this.close();
        this.onclose();
    }

    send(bytes) {
        this.port.postMessage(bytes, [bytes]);
    }

    close() {
        this.port.postMessage('close');
    }
}

function openSocket() {
    socket?.close();
    const mine = socket = hasGateway ? new ChannelSocket() : new WebSocket(url, 'lockstep.3');
    mine.binaryType = 'arraybuffer';
    mine.onopen = () => guard(() => {
        if (mine !== socket)
            return;
        engine.call('socket_opened');
        update();
    });
    mine.onmessage = ({ data }) => guard(() => {
        if (mine !== socket || typeof data === 'string' || data.byteLength > 1200)
            return;
        copyIn(new Uint8Array(data));
        if (!engine.call('receive', data.byteLength, performance.now()))
            mine.close();
        update();
    });
    mine.onclose = () => guard(() => {
        if (mine !== socket)
            return;
        hasGateway &&= match !== undefined; // where no data channel leads to a match, the next try is a WebSocket
        engine.call('socket_closed');
        update();
    });
}

function send() {
    for (let from; (from = engine.call('next_message') >>> 0) !== 0;) {
        const bytes = engine.exports.memory.buffer.slice(from, from + engine.call('message_bytes'));
        const isControl = new Uint8Array(bytes)[0] === CONTROL;
        if (socket.readyState === WebSocket.OPEN && (isControl || socket.bufferedAmount < UNSENT_BYTES_MAX))
            socket.send(bytes);
    }
}

// Posts the state if it has changed since and the page has drawn the one before.
function show() {
    const tick = match ? engine.call('tick') : -1;
    if (!plan || !isDrawn || tick < 0 || tick === shown)
        return;
    const continues = tick > shown && tick - shown <= match.tickRate;
    const { layers, kept } = readLayers(engine, plan, before, continues);
    before = kept;
    shown = tick;
    isDrawn = false;
    postMessage({ frame: { tick, continues, layers, world: engine.json('world') } });
}

function tell() {
    const now = performance.now();
    if (now - statusAt < STATUS_MS)
        return;
    statusAt = now;
    status = engine.json('status');
    const text = engine.text(engine.call('seat'));
    if (text !== seatText) {
        seatText = text;
        postMessage({ seat: JSON.parse(text) });
    }
    if (!match) {
        const found = engine.json('match');
        if (found.simulation) {
            match = found;
            postMessage({ match });
        }
    }
    postMessage({ status });
    isOver ||= status.isFinal;
}

// Each tick needs the state that is held.
function submitState() {
    if (!held || !status?.isPlaying)
        return;
    copyIn(held);
    if (engine.call('submit_state', held.length) !== 0) {
        held = null;
        postMessage({ refused: engine.text(engine.call('error')) });
    }
}

function update() {
    engine.call('update', performance.now());
    if (engine.call('wants_socket'))
        openSocket();
    submitState();
    send();
    tell();
    show();
}

function guard(work) {
    if (!engine)
        return;
    try {
        work();
    } catch (error) {
        engine = null;
        socket?.close();
        postMessage({ failed: error.message });
    }
}

function run() {
    guard(update);
    if (!engine || isOver && status.isEnded)
        socket?.close();
    if (engine)
        setTimeout(run, isOver ? STATUS_MS : UPDATE_MS);
}

async function begin({ simulation, address, channel, texts, isSpectator, predictTicks }) {
    url = address;
    hasGateway = channel;
    const made = new Engine(await load(simulation));
    engine = made;
    const bytes = new TextEncoder().encode(texts.map(text => `${text.replaceAll('\0', '')}\0`).join(''));
    if (bytes.length > 4096)
        throw new Error('these texts are too long');
    copyIn(bytes);
    made.run('begin', bytes.length, isSpectator, predictTicks, Math.floor(Date.now() / 1000));
    run();
}

const commands = {
    begin: data => begin(data).catch(error => {
        engine = null;
        postMessage({ failed: error.message });
    }),
    plan: ({ layers }) => {
        plan = layers;
    },
    drawn: () => {
        isDrawn = true;
        guard(show);
    },
    order: ({ bytes }) => guard(() => {
        copyIn(bytes);
        if (engine.call('submit', bytes.length) !== 0)
            postMessage({ refused: engine.text(engine.call('error')) });
        update();
    }),
    // Until the page says another one.
    state: ({ bytes }) => {
        held = new Uint8Array(bytes.buffer);
        guard(update);
    },
    leave: () => guard(() => {
        engine.call('leave', performance.now());
        update();
    }),
};
onmessage = ({ data }) => commands[data.run](data);
