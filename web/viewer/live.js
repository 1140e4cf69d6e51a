// Follows a running match: fetches what `serve --broadcast-dir` publishes. Nothing here is trusted, for the engine checks the bytes.
const POLL_MS = 1000, QUIET_MS = 10000, ANSWER_MS = 20000, FETCHES = 6, MANIFEST_MAX = 4096, BYTES_MAX = 2 ** 30;
const MANIFEST = /^lockstep-live 1\nmatch=([\w~-]{1,385}) segments=(\d{1,7}) bytes=(\d{1,10}) state=(live|ended|broken)\n$/;

export function readManifest(text) {
    const [, match, segments, bytes, state] = MANIFEST.exec(text) ?? [];
    if (!match)
        throw new Error(/^lockstep-live 1\n/.test(text) ? 'the manifest of this match is damaged: ask the operator of its server'
            : /^lockstep-live \d/.test(text) ? 'the match is published by another version of Lockstep'
                : 'the server’s answer does not describe a running match');
    if (Number(bytes) > BYTES_MAX)
        throw new Error('this match is longer than 1 GiB, the most that a recording has');
    return { match, segments: Number(segments), bytes: Number(bytes), state };
}

// Where the match of a folder in live/ is, in words; '' for the room without a name.
export const whereText = folder => folder === '~' ? ''
    : ` in room ${folder.replace(/(?:~[0-9a-f]{2})+/gi, bytes =>
        new TextDecoder().decode(Uint8Array.from(bytes.slice(1).split('~'), digits => parseInt(digits, 16))))}`;

export class Live {
    // `room` is the name of its folder in live/.
    constructor(room) {
        this.room = room;
        this.folder = new URL(`live/${encodeURIComponent(room)}/`, location.href);
        this.blob = new Blob();
        this.match = null;
        this.segments = this.version = 0;
        this.state = 'live';
        this.changedMs = performance.now();
        this.isAway = false; // the server does not answer
        this.renew();
    }

    get isLive() {
        return this.state === 'live';
    }

    // How long no ticks have come, in ms; 0 while they may still be under way.
    get quietMs() {
        const quiet = performance.now() - this.changedMs;
        return quiet < QUIET_MS ? 0 : quiet;
    }

    renew() {
        this.changed = new Promise(resolve => this.wake = resolve);
    }

    change() {
        const wake = this.wake;
        this.changedMs = performance.now();
        this.version++;
        this.renew();
        wake();
    }

    // Follows no longer: the page shows another match, or the bytes are damaged.
    leave(state = 'left') {
        this.state = state;
        this.change();
    }

    // Promises true when the match is not as it was at that version any more, false when it has ended since.
    async isBeyond(version) {
        while (this.version === version && this.isLive)
            await this.changed;
        return this.version !== version && this.state !== 'left';
    }

    // The bytes of a file of at most `most` bytes. It may take as long as it likes, while more of it comes.
    async get(name, most, options) {
        const control = new AbortController();
        let patience;
        const begin = () => {
            clearTimeout(patience);
            patience = setTimeout(() => control.abort(), ANSWER_MS);
        };
        const fail = what => {
            throw new Error(`the server of the match${whereText(this.room)} ${what}`
                + (this.version ? '; this page asks again every second' : ': open this link again later'));
        };
        begin();
        try {
            const answer = await fetch(new URL(name, this.folder), { signal: control.signal, ...options })
                .catch(() => fail('does not answer'));
            if (answer.status >= 500)
                fail(`answers ${answer.status}`);
            if (!answer.ok)
                throw new Error(name === 'live' ? `no match is published${whereText(this.room)}: it has not begun, or has ended`
                    : `the server lacks ${name}, a part of this match that its manifest names`);
            const reader = answer.body.getReader(), parts = [];
            for (let left = most; ;) {
                const { done, value } = await reader.read().catch(() => fail(`has broken off ${name}`));
                if (done)
                    return new Blob(parts);
                begin();
                parts.push(value);
                left -= value.byteLength;
                if (left < 0)
                    throw new Error(name === 'live' ? 'the server’s answer does not describe a running match'
                        : 'the segments of this match are longer than its manifest says');
            }
        } finally {
            clearTimeout(patience);
            control.abort(); // what is left of it
        }
    }

    // Fetches what is new, and tells whether anything is. Another match of the room gives the state `replaced`.
    // The manifest is fetched whole, because it may change twice within the second that `Last-Modified` tells apart.
    async poll() {
        const told = readManifest(await (await this.get('live', MANIFEST_MAX, { cache: 'no-store' })).text());
        if (!this.isLive)
            return false;
        if (told.match !== (this.match ??= told.match)) {
            this.state = 'replaced';
            this.change();
            return true;
        }
        if (!told.segments || !told.bytes)
            throw new Error(`nothing of the match${whereText(this.room)} is published yet: open this link again later`);
        const isNew = told.segments > this.segments || told.state !== this.state;
        while (this.isLive && this.segments < told.segments) {
            const names = Array.from({ length: Math.min(FETCHES, told.segments - this.segments) },
                (unused, at) => `${told.match}-${this.segments + at}.seg`);
            const most = told.bytes - this.blob.size, parts = await Promise.all(names.map(name => this.get(name, most)));
            this.blob = new Blob([this.blob, ...parts]);
            this.segments += parts.length;
            if (this.blob.size > told.bytes)
                throw new Error('the segments of this match are longer than its manifest says');
        }
        if (this.isLive && this.segments === told.segments && this.blob.size !== told.bytes)
            throw new Error(`the segments of this match have ${this.blob.size} bytes, and their manifest says ${told.bytes}`);
        if (isNew && this.isLive) {
            this.state = told.state;
            this.change();
        }
        return isNew;
    }

    static pause() {
        return new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
}
