// What a server has for this page: recordings to watch, running matches to follow, and a simulation to play.
import { make } from './inspector.js';
import { whereText } from './live.js';

const ask = path => fetch(path).then(answer => answer.json()).catch(() => null);

// { recordings: [{ name, path, simulation }], live, play }; null: the server has no list. `simulation` is missing where
// the file is no recording, `play` where no one can play, and `live` tells whether running matches are published.
export async function fetchShelf() {
    const shelf = await ask('./recordings.json');
    return shelf && { ...shelf, recordings: shelf.recordings.map(each => ({ ...each, path: `recordings/${each.name}` })) };
}

// The rooms with a running match.
export const fetchRooms = async () => await ask('./live/rooms.json') ?? [];

// The name of a running match.
export const matchText = (room, simulation) => `the match of ${simulation}${whereText(room)}`;

// Fills the first screen. The actions are open(path), follow(room).
export function showShelf(shelf, rooms, { open, follow }) {
    const element = id => document.getElementById(id), { recordings = [], play } = shelf ?? {};
    const item = (textContent, onclick) => make('li', {}, make('button', { type: 'button', textContent, onclick }));
    element('list').replaceChildren(
        ...rooms.map(({ room, simulation, players }) =>
            item(`● live: ${matchText(room, simulation)}, ${players} ${players === 1 ? 'player' : 'players'}`, () => follow(room))),
        ...recordings.map(({ name, path }) => item(name, () => open(path))));
    element('demos').hidden = recordings.length + rooms.length > 0;
    Object.assign(element('playlink'), { hidden: !play, textContent: `Play ${play}`, href: `./play.html#sim=${encodeURIComponent(play)}` });
}
