// The strip with the whole recording: inputs, events, keyframes, what is signed, what is proved, where it differs.
import { COUNTED_TICKS_MAX } from './engine.js';

const KEYFRAME_PIXELS = 4;

function joined(first, second) {
    const all = new Uint8Array(first.length + second.length);
    all.set(first);
    all.set(second, first.length);
    return all;
}

export class Timeline {
    // `moved` is called with a tick while the slider is moved.
    constructor(canvas, slider, moved) {
        this.canvas = canvas;
        this.slider = slider;
        slider.addEventListener('input', () => moved(Number(slider.value)));
    }

    async begin(about, askCounts) {
        const { first, last } = about;
        this.about = about;
        this.proved = first;
        // Of the recording, and of a second one while two are compared.
        this.differs = [new Set(about.desync ? [about.desync.tick] : []), new Set()];
        this.parted = null; // the first tick that differs from another recording
        this.counts = new Uint8Array(0);
        this.events = []; // that systems sent, counted for each tick that is proved
        this.playerEvents = [];
        Object.assign(this.slider, { min: first, max: last, value: first });
        // Very long recordings show the inputs of as much as one call gives.
        this.counts = await askCounts(first, Math.min(COUNTED_TICKS_MAX, last - first));
        this.draw();
    }

    // The recording has become longer.
    async grow(askCounts) {
        const { first, last } = this.about, from = this.counts.length, more = Math.min(COUNTED_TICKS_MAX, last - first) - from;
        this.slider.max = last;
        if (more > 0) {
            const counts = await askCounts(first + from, more);
            if (this.counts.length === from)
                this.counts = joined(this.counts, counts);
        }
        this.draw();
    }

    set tick(tick) {
        const seconds = (tick / this.about.tickRate).toFixed(1);
        this.slider.value = tick;
        this.slider.setAttribute('aria-valuetext', `tick ${tick}, ${seconds} seconds`);
    }

    draw() {
        const { canvas, about } = this, ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
        if (!about || !width)
            return;
        const style = getComputedStyle(canvas), colour = name => style.getPropertyValue(name);
        const context = canvas.getContext('2d'), range = Math.max(1, about.last - about.first);
        const at = tick => 6 + (tick - about.first) / range * (width - 12); // as the slider's thumb moves
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        context.scale(ratio, ratio);
        context.fillStyle = colour('--stage');
        context.fillRect(6, 4, width - 12, 28);
        // Inputs stand on the ground; events hang from above.
        const drawCounts = (counts, name, most, top) => {
            const bins = new Float64Array(Math.max(1, Math.floor((width - 12) / 2)));
            counts.forEach((count, tick) => bins[Math.min(bins.length - 1, Math.floor(tick / range * bins.length))] += count);
            const highest = bins.reduce((a, b) => Math.max(a, b), 1);
            context.fillStyle = colour(name);
            bins.forEach((count, bin) => {
                const size = Math.max(2, most * count / highest);
                if (count)
                    context.fillRect(6 + 2 * bin, top ?? 32 - size, 1.5, size);
            });
        };
        drawCounts(this.counts, '--faint', this.events.length ? 14 : 26);
        drawCounts(this.events, '--event', 11, 4);
        context.fillStyle = colour('--accent');
        // Short and thinned: a running match has one every few seconds.
        let free = 0;
        for (const tick of about.keyframes) {
            if (at(tick) < free)
                continue;
            context.fillRect(Math.round(at(tick)), 30, 1, 4);
            free = at(tick) + KEYFRAME_PIXELS;
        }
        context.fillStyle = colour('--text');
        for (const { tick } of this.playerEvents) {
            context.beginPath();
            context.moveTo(at(tick) - 4, 0);
            context.lineTo(at(tick) + 4, 0);
            context.lineTo(at(tick), 6);
            context.fill();
        }
        const bar = (from, to, top, name) => {
            context.fillStyle = colour(name);
            context.fillRect(at(from), top, Math.max(0, at(to) - at(from)), 4);
        };
        bar(about.first, about.last, 34, '--line');
        bar(about.first, Math.min(this.proved, about.last), 34, '--good');
        bar(about.first, about.last, 40, '--line');
        bar(about.first, Math.min(Math.max(about.signedTick, about.first), about.last), 40, '--accent');
        context.fillStyle = colour('--bad');
        for (const tick of [...this.differs[0], ...this.differs[1], ...this.parted === null ? [] : [this.parted]])
            context.fillRect(at(tick) - 1.5, 0, 3, height);
    }
}
