// The engine's module (web/engine.h) in JavaScript: loads it, copies texts and rows out of its memory. Used by the
// page's workers and, by the tests, in node.

// LS_WEB_TICKS_MAX of web/export.h: of so many ticks the engine counts inputs and events.
export const COUNTED_TICKS_MAX = 65536;

const utf8 = new TextDecoder();

// The functions of WASI that a module imports. Only a failed assertion and a lack of memory write and exit; the
// clock serves measurements, random numbers the keys of a player's session.
function wasi(getMemory, said) {
    const view = () => new DataView(getMemory().buffer);
    return {
        clock_time_get(id, precision, to) {
            view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
            return 0;
        },
        fd_write(descriptor, vectors, count, written) {
            let bytes = 0;
            for (let i = 0; i < count; i++) {
                const from = view().getUint32(vectors + 8 * i, true);
                const length = view().getUint32(vectors + 8 * i + 4, true);
                said.text += utf8.decode(new Uint8Array(getMemory().buffer, from, length));
                bytes += length;
            }
            view().setUint32(written, bytes, true);
            return 0;
        },
        random_get(to, bytes) {
            crypto.getRandomValues(new Uint8Array(getMemory().buffer, to, bytes));
            return 0;
        },
        fd_close: () => 8, // EBADF: there are no files
        fd_seek: () => 8,
        proc_exit(code) {
            throw new Error(said.text.trim() || `the engine ended with code ${code}`);
        },
    };
}

// A sentence of the reader, which has `this file` in the place of a path.
const readable = text => text && text.replace(/^this file: (?=is |has |was |lacks |ends )/, 'this file ').replace(/^this file: its /, 'this file’s ')
    .replace('replay repair this file`', 'replay repair FILE`');

// Fetches what a sentence calls `name`; null where the server has none. A server that refuses says why in plain text.
export async function fetchFile(address, name) {
    const answer = await fetch(address).catch(() => {
        throw new Error(`${name} cannot be fetched: its server does not answer`);
    });
    if (answer.ok || answer.status === 404)
        return answer.ok ? answer : null;
    const words = /^text\/plain/.test(answer.headers.get('content-type')) ? (await answer.text()).trim() : '';
    throw new Error(`${name} cannot be fetched: ${words || `its server answers ${answer.status}`}`);
}

// Fetches a module; null when there is none.
export async function fetchModule(file) {
    const answer = await fetchFile(`./${file}`, file);
    if (!answer)
        return null;
    try {
        return await WebAssembly.compile(await answer.arrayBuffer());
    } catch {
        throw new Error(`${file} of this page is damaged, or is no WebAssembly module`);
    }
}

// A module that wants more than this page gives could not have been built with it.
function check(module, given) {
    const others = WebAssembly.Module.imports(module).filter(({ module: from, name }) => from !== 'wasi_snapshot_preview1' || !(name in given));
    const has = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
    if (others.length)
        throw new Error(`the module of this page asks for ${others[0].module}.${others[0].name}, which the page does not give: it is of another version`);
    if (!has.has('_initialize') || !has.has('memory') || !has.has('error'))
        throw new Error('the module of this page is not one of Lockstep');
}

export class Engine {
    // `module` is a WebAssembly.Module of web/build.
    constructor(module) {
        this.said = { text: '' };
        const imports = wasi(() => this.exports.memory, this.said);
        check(module, imports);
        this.exports = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports }).exports;
        this.exports._initialize();
    }

    text(pointer) {
        const bytes = new Uint8Array(this.exports.memory.buffer, pointer);
        return utf8.decode(bytes.subarray(0, bytes.indexOf(0)));
    }

    // Calls a function of the module. A trap is a bug of the engine or the simulation: its message is the assertion's.
    call(name, ...values) {
        try {
            return this.exports[name](...values);
        } catch (error) {
            const said = this.said.text.trim();
            throw new Error(said ? `the engine stopped: ${said}` : `the engine stopped: ${error.message}`);
        }
    }

    // Calls a function that returns a status.
    run(name, ...values) {
        if (this.call(name, ...values) !== 0)
            throw new Error(readable(this.text(this.exports.error())));
    }

    json(name, ...values) {
        return JSON.parse(this.text(this.call(name, ...values)));
    }

    // Reads a recording and gives the name of its simulation, which another module may have.
    read(bytes) {
        const to = this.call('reserve', bytes.length) >>> 0;
        if (!to)
            throw new Error('this file is larger than 1 GiB, the most that a recording has');
        new Uint8Array(this.exports.memory.buffer, to, bytes.length).set(bytes);
        this.run('read');
        return this.text(this.exports.recorded_name());
    }

    get ownName() {
        return this.text(this.exports.own_name());
    }

    // Makes the first state. Returns what recording() and components() of web/engine.h say. `isMeasured` is for schedule().
    play(isMeasured = false) {
        this.run('play', isMeasured);
        return { ...this.recording(), ...this.json('components') };
    }

    recording() {
        const about = this.json('recording');
        return { ...about, endText: readable(about.endText), forged: readable(about.forged) };
    }

    // Takes further bytes of a recording that grows; without any, only whether it has more to come. Gives recording().
    grow(bytes, hasMore) {
        if (bytes.length) {
            const to = this.call('reserve_more', bytes.length) >>> 0;
            if (!to)
                throw new Error('this match is longer than 1 GiB, the most that a recording has');
            new Uint8Array(this.exports.memory.buffer, to, bytes.length).set(bytes);
        }
        this.call('grow', hasMore);
        return this.recording();
    }

    // Entities of column `columns[0]`, with the cells of all columns: copies, which stay valid. Rows of `sizes[t]` bytes.
    rows(columns, sizes) {
        const count = this.call('rows', columns[0] ?? -1, columns[1] ?? -1, columns[2] ?? -1) >>> 0;
        const copy = (pointer, bytes) => this.exports.memory.buffer.slice(pointer >>> 0, (pointer >>> 0) + bytes);
        return {
            count,
            entities: new Uint32Array(copy(this.exports.row_entities(), 8 * count)),
            presence: new Uint8Array(copy(this.exports.row_presence(), count)),
            cells: columns.map((column, t) => new DataView(copy(this.exports.row_cells(t), count * sizes[t]))),
        };
    }

    // Of ticks `from` to `to` of the proof, counted from its first one.
    eventCounts(from, to) {
        const pointer = this.call('event_counts') >>> 0;
        return new Uint8Array(this.exports.memory.buffer.slice(pointer + from, pointer + to));
    }

    inputCounts(first, count) {
        const pointer = this.call('input_counts', first, count) >>> 0;
        return new Uint8Array(this.exports.memory.buffer.slice(pointer, pointer + count));
    }
}

// Opens a recording with the module of its simulation. `load` gives the module of a name, or null when there is none.
export async function open(bytes, load) {
    const first = await load('skirmish');
    if (!first)
        throw new Error('this page lacks skirmish.wasm: web/build makes it');
    let engine = new Engine(first);
    const name = engine.read(bytes);
    if (name === engine.ownName)
        return engine;
    const module = /^[a-z0-9_-]{1,64}$/.test(name) ? await load(name) : null;
    if (!module)
        throw new Error(`this file is of the simulation '${name}', of which this page has no module`);
    engine = new Engine(module);
    engine.read(bytes);
    return engine;
}
