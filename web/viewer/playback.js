// Asks for states and shows them in time: one request at a time, the next frame while this one is moving.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const FRAMES_PER_SECOND = 60;
const LATE_S = 6, CATCH_UP = 1 / 16; // beyond so much behind a running match, each frame takes this part of the rest

export class Playback {
    // `ask(tick, step)` promises a frame, at most `step` ticks after the one shown when it continues it. `arrived` is
    // called with each frame that is shown, `failed` with an error.
    constructor(ask, arrived, failed) {
        Object.assign(this, { ask, arrived, failed, speed: 1, isPlaying: false, hasMore: false });
        this.frame = this.next = this.wanted = null;
        this.isAsking = false;
    }

    // Goes to a tick and plays on from there, as fast as the match runs.
    async follow(tick) {
        await this.seek(tick);
        this.isPlaying = this.follows = true;
        this.since = performance.now();
    }

    // A match that runs has become longer; at its end, playing waits for more while `hasMore`.
    grow({ last }, hasMore) {
        this.last = last;
        this.hasMore = hasMore;
        if (!hasMore && this.frame?.tick >= last)
            this.isPlaying = false;
    }

    begin({ first, last, tickRate }) {
        // A request to the worker of the recording before is never answered.
        Object.assign(this, { first, last, tickRate, isPlaying: false, hasMore: false, follows: false, isAsking: false, next: null, wanted: null, since: 0 });
    }

    get ownStep() {
        return Math.max(1, Math.round(this.speed * this.tickRate / FRAMES_PER_SECOND));
    }

    // A machine that is too slow for a running match leaves out frames.
    get step() {
        const late = this.follows && this.hasMore && this.speed === 1 ? this.last - LATE_S * this.tickRate - this.frame.tick : 0;
        return Math.max(this.ownStep, Math.ceil(CATCH_UP * late));
    }

    get frameMs() {
        return 1000 * this.ownStep / (this.tickRate * this.speed);
    }

    // The part of the way from the frame before to this one.
    share(now) {
        return this.isPlaying ? Math.min(1, (now - this.since) / this.frameMs) : 1;
    }

    async request(tick, isSeek) {
        if (this.isAsking) {
            if (isSeek)
                this.wanted = tick;
            return;
        }
        this.isAsking = true;
        try {
            const frame = await this.ask(tick, isSeek ? this.ownStep : this.step);
            if (isSeek && this.wanted === null)
                this.show(frame, performance.now());
            else if (!isSeek && this.wanted === null)
                this.next = frame;
        } catch (error) {
            this.isPlaying = false;
            this.failed(error);
        }
        this.isAsking = false;
        if (this.wanted !== null) {
            const again = this.wanted;
            this.wanted = null;
            await this.request(again, true);
        }
    }

    show(frame, now) {
        this.frame = frame;
        this.next = null;
        this.since = now;
        if (frame.diverged || frame.other?.diverged || frame.tick >= this.last && !this.hasMore)
            this.isPlaying = false;
        this.arrived(frame);
    }

    seek(tick) {
        this.next = null;
        this.follows = false;
        return this.request(Math.min(this.last, Math.max(this.first, Math.round(tick))), true);
    }

    toggle() {
        this.isPlaying = !this.isPlaying;
        this.since = performance.now() - this.frameMs;
        if (this.isPlaying && this.frame.tick >= this.last && !this.hasMore)
            this.seek(this.first);
    }

    // Call it for each picture.
    run(now) {
        if (!this.isPlaying || !this.frame)
            return;
        if (this.next && now - this.since >= this.frameMs) {
            const late = now - this.since - this.frameMs;
            this.show(this.next, late < this.frameMs ? now - late : now);
        }
        if (this.isPlaying && !this.next && !this.isAsking && this.frame.tick < this.last)
            this.request(Math.min(this.last, this.frame.tick + this.step), false);
    }
}
