// The sounds of a match, made by the Web Audio API from what the art tells of each frame that is shown: no file is fetched.
// A browser lets a page make sounds only after a click or a key, so the audio begins in one.
import { stored } from './stored.js';

const KEY = 'lockstep-sound';
export const VOICES_MAX = 24; // sounds at a time; half of them are left for the strongest
const ALIKE_MAX = 3; // of one kind in a frame
const VOLUME = 0.5, FAINT = 0.02, SPREAD_S = 0.04, PITCH_SPREAD = 0.06, PAN_MAX = 0.8, SWELL_S = 0.004, NOISE_S = 1;
const IDLE_MS = 10000; // the last sounds have ended
const noises = new WeakMap(); // of each context

function noiseOf(context) {
    if (!noises.has(context)) {
        const buffer = context.createBuffer(1, NOISE_S * context.sampleRate, context.sampleRate), samples = buffer.getChannelData(0);
        for (let i = 0; i < samples.length; i++)
            samples[i] = 2 * Math.random() - 1;
        noises.set(context, buffer);
    }
    return noises.get(context);
}

const clamp = share => Math.min(1, Math.max(0, share));

function glide(parameter, from, to, begin, end) {
    parameter.setValueAtTime(from, begin);
    parameter.exponentialRampToValueAtTime(to, end);
}

// One tone: the source that ends, after a gain that swells and fades. Noise goes through a filter, which has its pitch.
function startTone(context, output, { wave, from, to = from, seconds, level = 1, after = 0, swell = SWELL_S }, { when, pitch }) {
    const begin = when + after, end = begin + seconds, gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(clamp(level), begin + Math.min(swell, seconds / 2));
    gain.gain.exponentialRampToValueAtTime(0.001, end);
    gain.connect(output);
    let source;
    if (wave === 'noise') {
        const filter = new BiquadFilterNode(context, { type: 'bandpass', Q: 0.8 });
        source = new AudioBufferSourceNode(context, { buffer: noiseOf(context), loop: true });
        glide(filter.frequency, from * pitch, to * pitch, begin, end);
        source.connect(filter).connect(gain);
        source.start(begin, Math.random() * NOISE_S);
    } else {
        source = new OscillatorNode(context, { type: wave });
        glide(source.frequency, from * pitch, to * pitch, begin, end);
        source.connect(gain);
        source.start(begin);
    }
    source.stop(end);
    return { source, end };
}

// One sound: its tones, at one place between left (-1) and right. `ended` is called after the last of them.
export function startSound(context, output, tones, { loudness, pan, when = context.currentTime, pitch = 1 }, ended = () => {}) {
    const gain = new GainNode(context, { gain: loudness }), place = new StereoPannerNode(context, { pan });
    gain.connect(place).connect(output);
    const last = tones.map(tone => startTone(context, gain, tone, { when, pitch })).reduce((one, other) => other.end > one.end ? other : one);
    last.source.onended = () => {
        place.disconnect();
        ended();
    };
}

// How a sound is heard by one who looks at this scene: as far left or right as it is seen, and fainter beyond the edges.
export function hearFrom({ x, y, strength = 1 }, { toX, toY, width, height }) {
    if (x === undefined)
        return { loudness: clamp(strength), pan: 0 };
    const across = 2 * toX(x) / width - 1, down = 2 * toY(y) / height - 1, outside = Math.max(0, Math.abs(across) - 1, Math.abs(down) - 1);
    return { loudness: clamp(strength) * Math.max(0, 1 - outside), pan: PAN_MAX * Math.min(1, Math.max(-1, across)) };
}

// What all sounds go through: many at a time stay below full scale.
export function openOutput(context) {
    const output = new GainNode(context, { gain: VOLUME });
    output.connect(new DynamicsCompressorNode(context)).connect(context.destination);
    return output;
}

export class Sound {
    // `failed` is called with the error when the art's sounds fail; they are off then. `isOn` is what a user has who has
    // not chosen yet.
    constructor(button, failed, isOn) {
        Object.assign(this, { button, failed, art: null, before: null, context: null, isBroken: false, idle: 0, voices: 0 });
        const choice = stored('localStorage', KEY);
        this.isOn = choice === null ? isOn : choice === 'on';
        button.addEventListener('click', () => this.toggle());
        for (const type of ['click', 'keydown'])
            addEventListener(type, () => this.wake());
        this.show();
    }

    get isPossible() {
        return Boolean(this.art?.sounds && window.AudioContext && !this.isBroken);
    }

    // For another match.
    begin(art) {
        this.art = art;
        this.before = null;
        this.show();
        if (this.context)
            this.wake();
    }

    // No match is shown any more: silent until another begins.
    end() {
        this.begin(null);
        this.context?.suspend();
    }

    show() {
        this.button.hidden = !this.isPossible;
        this.button.setAttribute('aria-pressed', String(this.isOn));
    }

    toggle() {
        if (!this.isPossible)
            return;
        this.isOn = !this.isOn;
        stored('localStorage', KEY, this.isOn ? 'on' : 'off');
        this.show();
        if (this.isOn)
            this.wake();
        else
            this.context?.suspend();
    }

    // Call it while a click or a key is handled.
    wake() {
        if (!this.isOn || !this.isPossible)
            return;
        try {
            this.context ??= this.open();
        } catch (error) {
            this.isBroken = true;
            this.show();
            this.failed(new Error(`the sounds are off, because the audio of this browser fails: ${error.message}`));
            return;
        }
        this.stir();
    }

    open() {
        const context = new AudioContext();
        this.output = openOutput(context);
        return context;
    }

    // The audio runs while a match plays, and for a while after a click or a key. The system may refuse it for some time.
    stir() {
        clearTimeout(this.idle);
        this.idle = setTimeout(() => this.context.suspend(), IDLE_MS);
        if (this.context.state !== 'running')
            this.context.resume().catch(() => {});
    }

    // A frame is shown, as `scene` has it. It is silent unless it continues the frame before and `isPlaying`.
    hear(frame, scene, isPlaying) {
        const { before } = this;
        this.before = frame;
        if (!isPlaying || !this.isOn || !this.isPossible || !this.context)
            return;
        this.stir();
        if (!before || !frame.continues || this.context.state !== 'running')
            return;
        try {
            this.play(this.art.sounds(frame, before), scene);
        } catch (error) {
            this.begin(null);
            this.failed(new Error(`the sounds of this simulation are off, because its art fails: ${error.message}`));
        }
    }

    // The loudest first. The louder a sound, the more others may be heard beside it.
    play(sounds, scene) {
        const heard = sounds.map(sound => ({ tones: sound.tones, ...hearFrom(sound, scene) })).filter(({ loudness }) => loudness > FAINT);
        const alike = new Map();
        for (const { tones, loudness, pan } of heard.sort((one, other) => other.loudness - one.loudness)) {
            const count = alike.get(tones) ?? 0;
            if (count === ALIKE_MAX || this.voices >= VOICES_MAX * Math.min(1, (1 + loudness) / 2))
                continue;
            alike.set(tones, count + 1);
            startSound(this.context, this.output, tones, { loudness, pan, when: this.context.currentTime + SPREAD_S * Math.random(),
                pitch: 1 + PITCH_SPREAD * (2 * Math.random() - 1) }, () => this.voices--);
            this.voices++;
            this.button.dataset.begun = Number(this.button.dataset.begun ?? 0) + 1;
        }
    }
}
