// The schedule of the simulation as `lockstep schedule graph` draws it, with the time that each system takes in this
// browser. The picture comes from the module; here its systems become choosable, and times are brought up to date.
import { make } from './inspector.js';

const ROUNDS = 8, PAUSE_MS = 400; // measurements of one tick, and the pause between two
const STYLE = `
    svg { display: block; margin: 0 auto; }
    .ground { fill: none; }
    .system { cursor: pointer; outline: none; }
    .system:focus-visible .box, .system[aria-selected=true] .box { stroke: var(--accent); stroke-width: 4; }
    .share { fill: var(--accent); }
    .faded { opacity: 0.25; }`;

export function timeText(ns) {
    return ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(2)} ms`;
}

const titleOf = group => group.firstElementChild.textContent;
const systemsOf = svg => [...svg.querySelectorAll('g')].filter(group => group.querySelector('rect.box'));
const linksOf = svg => [...svg.querySelectorAll('g')].filter(group => group.querySelector('path.line'));
const isOf = (name, words) => words.startsWith(`${name} `) || words.split(': ')[0].endsWith(` ${name}`);

// Gives the old tree the texts and attributes of one of the same shape, so that focus and scrolling stay.
function update(old, now) {
    for (const { name, value } of now.attributes)
        if (old.getAttribute(name) !== value)
            old.setAttribute(name, value);
    if (now.children.length === 0 && old.textContent !== now.textContent)
        old.textContent = now.textContent;
    [...now.children].forEach((child, at) => update(old.children[at], child));
}

const shapeOf = svg => [...svg.querySelectorAll('*')].map(({ localName, children }) => localName + children.length).join();

export class Schedule {
    // `host` gets the picture, `heading` the time of a tick, `details` the chosen system.
    constructor(host, heading, details) {
        Object.assign(this, { heading, details, name: null, svg: null, round: 0 });
        this.root = host.attachShadow({ mode: 'open' });
        this.style = new CSSStyleSheet();
        this.root.adoptedStyleSheets = [this.style];
        this.root.addEventListener('click', ({ target }) => this.choose(target.closest('.system')?.dataset.name ?? null));
        this.root.addEventListener('keydown', event => this.press(event));
        this.root.addEventListener('focusin', ({ target }) => target.dataset.name !== this.name && this.choose(target.dataset.name));
    }

    // Measures and draws until stop(). `ask(tick)` promises an answer of the module, `now()` is the tick shown.
    async run(ask, now) {
        const mine = ++this.round;
        for (let tick = NaN, rounds = 0; mine === this.round; rounds++) {
            if (now() !== tick)
                rounds = 0;
            tick = now();
            const answer = rounds < ROUNDS ? await ask(tick) : null;
            if (answer && mine === this.round)
                this.show(answer, tick);
            await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
        }
    }

    stop() {
        this.round++;
    }

    // For another recording.
    reset() {
        this.stop();
        [this.name, this.svg] = [null, null];
        this.root.replaceChildren();
        this.heading.textContent = 'Measuring…';
        this.describe();
    }

    show(answer, tick) {
        const svg = this.read(answer);
        if (this.svg && shapeOf(this.svg) === shapeOf(svg))
            update(this.svg, svg);
        else
            this.root.replaceChildren(this.svg = svg);
        this.heading.textContent = answer.ticks ? `A tick takes ${timeText(answer.tickNs)} here, measured in ${answer.ticks} ticks around tick ${tick}.`
            : 'There is no tick to measure.';
        this.mark();
        this.describe();
    }

    // The picture as elements. Its style becomes a sheet, which the page's security policy allows.
    read({ svg, systems, ticks, tickNs }) {
        const [whole, style] = /<style>([^]*?)<\/style>/.exec(svg);
        if (!this.svg)
            this.style.replaceSync(style + STYLE);
        const tree = document.adoptNode(new DOMParser().parseFromString(svg.replace(whole, ''), 'image/svg+xml').documentElement);
        tree.setAttribute('role', 'listbox');
        tree.setAttribute('aria-label', 'Systems in the order of the schedule');
        const slowest = Math.max(1, ...systems);
        systemsOf(tree).forEach((group, at) => {
            const box = group.querySelector('rect.box'), share = tickNs ? Math.min(1, systems[at] / tickNs) : 0;
            const name = titleOf(group).split('\n')[0], bar = box.cloneNode(), number = key => Number(box.getAttribute(key));
            group.dataset.name = name;
            const time = ticks ? `, ${timeText(systems[at])} a tick, ${(100 * share).toFixed(1)} %` : '';
            for (const [key, value] of [['class', 'system'], ['role', 'option'], ['tabindex', '-1'], ['aria-label', name + time]])
                group.setAttribute(key, value);
            const size = { x: number('x') + 8, y: number('y') + number('height') - 4, width: systems[at] / slowest * (number('width') - 16), height: 3, rx: 1, class: 'share' };
            for (const [key, value] of Object.entries(size))
                bar.setAttribute(key, value);
            group.append(bar);
        });
        return tree;
    }

    choose(name) {
        this.name = name;
        this.mark();
        this.describe();
    }

    // The chosen system can be reached by Tab, else the first; links of others step back.
    mark() {
        const systems = this.svg ? systemsOf(this.svg) : [], chosen = systems.find(({ dataset }) => dataset.name === this.name);
        for (const group of systems) {
            group.setAttribute('aria-selected', String(group === chosen));
            group.setAttribute('tabindex', group === (chosen ?? systems[0]) ? '0' : '-1');
        }
        for (const group of this.svg ? linksOf(this.svg) : [])
            group.classList.toggle('faded', Boolean(chosen) && !isOf(this.name, titleOf(group)));
    }

    describe() {
        const chosen = this.svg && systemsOf(this.svg).find(({ dataset }) => dataset.name === this.name);
        if (!chosen)
            return this.details.replaceChildren(make('p', { textContent: 'Choose a system to see its terms.' }));
        const [name, how, ...lines] = titleOf(chosen).split('\n'), time = chosen.getAttribute('aria-label').slice(name.length + 2);
        const list = texts => make('ul', {}, ...texts.map(textContent => make('li', { textContent })));
        const order = linksOf(this.svg).map(titleOf).filter(words => isOf(name, words));
        this.details.replaceChildren(make('h2', { textContent: name }), make('p', { textContent: how }), make('p', { textContent: time }),
            make('h3', { textContent: 'Terms' }), list(lines.filter(line => !line.endsWith(' a tick'))),
            ...order.length ? [make('h3', { textContent: 'Order' }), list(order)] : []);
    }

    // The arrows up and down go through the systems in their order.
    press(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step || !this.svg)
            return;
        event.preventDefault();
        event.stopPropagation();
        this.step(step);
    }

    // Chooses the next system or the one before, wherever the focus was.
    step(step) {
        if (!this.svg)
            return;
        const systems = systemsOf(this.svg), at = systems.findIndex(({ dataset }) => dataset.name === this.name);
        systems[Math.min(systems.length - 1, Math.max(0, at + step))].focus();
    }
}
