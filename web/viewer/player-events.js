// Joins, leaves, pauses and resumes: marks of the timeline, and a list that leads to their ticks.
import { make } from './inspector.js';

export class PlayerEvents {
    constructor(element, timeline, goTo) {
        Object.assign(this, { element, timeline, goTo });
    }

    // Asks for those from `first` on; 0 begins a list.
    async show(view, about, first) {
        const { events, isCut } = await view.ask('playerEvents', { first });
        const who = player => player < about.players ? `player ${player}` : 'the server';
        const all = this.timeline.playerEvents = first > 0 ? [...this.timeline.playerEvents, ...events] : events;
        this.element.hidden = all.length === 0;
        this.element.querySelector('summary').textContent = `Joins and leaves (${all.length}${isCut ? ', the first ones' : ''})`;
        this.element.querySelector('ul').replaceChildren(...all.map(({ tick, player, kind }) => make('li', {},
            make('button', { type: 'button', textContent: `tick ${tick}`, onclick: () => this.goTo(tick) }), ` ${who(player)} ${kind}`)));
        this.timeline.draw();
    }
}
