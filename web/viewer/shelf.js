// What a server has for this page: recordings to watch, running matches to follow, and a simulation to play.
import { make } from './inspector.js';
import { whereText } from './live.js';

const isText = value => typeof value === 'string', isTextOrNone = value => value === undefined || isText(value);
const isShelf = shelf => Array.isArray(shelf?.recordings) && isTextOrNone(shelf.play) && ['undefined', 'boolean'].includes(typeof shelf.live)
    && shelf.recordings.every(each => isText(each?.name) && isTextOrNone(each.simulation));
const areRooms = rooms => Array.isArray(rooms)
    && rooms.every(each => isText(each?.room) && isText(each.simulation) && Number.isInteger(each.players));

// null: the server has no such list. Rejects one that is not what `isList` tells.
async function fetchList(path, isList) {
    const answer = await fetch(path).catch(() => null);
    if (!answer?.ok)
        return null;
    const list = await answer.json().catch(() => null);
    if (!isList(list))
        throw new Error("the server's list is damaged");
    return list;
}

// { recordings: [{ name, path, simulation }], live, play }; null: the server has no list. `simulation` is missing where
// the file is no recording, `play` where no one can play, and `live` tells whether running matches are published.
export async function fetchShelf() {
    const shelf = await fetchList('./recordings.json', isShelf);
    return shelf && { ...shelf, recordings: shelf.recordings.map(each => ({ ...each, path: `recordings/${each.name}` })) };
}

// The rooms with a running match; null: the server has no list of them.
export const fetchRooms = () => fetchList('./live/rooms.json', areRooms);

// The name of a running match.
export const matchText = (room, simulation) => `the match of ${simulation}${whereText(room)}`;

// Fills the first screen. The actions are open(path), follow(room).
export function showShelf(shelf, rooms, { open, follow }) {
    const element = id => document.getElementById(id), { recordings = [], play } = shelf ?? {};
    const item = (textContent, onclick) => make('li', {}, make('button', { type: 'button', textContent, onclick }));
    element('list').replaceChildren(
        ...rooms.map(({ room, simulation, players }) =>
            item(`● live: ${matchText(room, simulation)}, ${players} ${players === 1 ? 'seat' : 'seats'}`, () => follow(room))),
        ...recordings.map(({ name, path }) => item(name, () => open(path))));
    element('demos').hidden = recordings.length + rooms.length > 0;
    Object.assign(element('playlink'), { hidden: !play, textContent: `Play ${play}`, href: `./play.html#sim=${encodeURIComponent(play)}` });
}
