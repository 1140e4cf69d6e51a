// Cells that differ, in two recordings side by side or on both sides of a desync, and where a dropped file goes.
import { make } from './inspector.js';

const ENTITY = / of ([^/\s]+\/\d+(?::\d+)?)$/;

// A place such as Health.points of army2/17:1, with a button for the entity.
function placeNodes(place, pick) {
    const [, entity] = ENTITY.exec(place) ?? [];
    if (!entity)
        return [place];
    return [`${place.slice(0, -entity.length)}`, make('button', { type: 'button', textContent: entity, onclick: () => pick(entity) })];
}

const valueNode = value => value ?? make('span', { className: 'none', textContent: 'none' });

// A table of cells with their left and right values.
export function makeTable(cells, names, pick) {
    const head = make('tr', {}, ...['cell', ...names].map(textContent => make('th', { scope: 'col', textContent })));
    return make('table', {}, make('thead', {}, head), make('tbody', {}, ...cells.map(({ place, left, right }) => make('tr', {},
        make('th', { scope: 'row' }, ...placeNodes(place, pick)), make('td', {}, valueNode(left)), make('td', {}, valueNode(right))))));
}

// Shows the differences of both states. The actions are seek(tick), pick(text).
export function showDifferences(panel, { first, ticks, count, isCut, cells, tick, otherTick }, names, { seek, pick }) {
    const when = otherTick === tick ? `before tick ${tick}` : `between tick ${tick} on the left and tick ${otherTick} on the right`;
    const ofTick = count === 0 ? `No cell differs ${when}.`
        : `${isCut ? `At least ${count}` : count} ${count === 1 ? 'cell differs' : 'cells differ'} ${when}${count > cells.length ? `, the first ${cells.length} are` : ''}:`;
    const start = first !== undefined ? `The roots differ from tick ${first} on. ` : ticks ? `The roots of all ${ticks} common ticks are equal. `
        : 'The two have no tick in common. ';
    panel.replaceChildren(make('p', {}, start, ...first !== undefined && first !== tick
        ? [make('button', { type: 'button', textContent: 'Go there', onclick: () => seek(first) }), ' '] : [], ofTick),
    ...count ? [makeTable(cells, names, pick)] : []);
}

// The cell of a place: its component, field, item of an array, and entity; null for a place that is no cell.
export function cellOf(place) {
    const [, component, field, item, entity] = /^([^.\s]+)\.([^\s[]+)(?:\[(\d+)\])?(?: of (\S+))?$/.exec(place) ?? [];
    return component ? { component, field, item, entity } : null;
}

// Calls `opened` with a dropped file, and the part of the stage that it was dropped on: 'left' or 'right'. The right half
// is for a second recording once `hasOne()`.
export function acceptDrops(stage, hasOne, opened) {
    const zoneOf = ({ clientX }) => {
        const { left, width } = stage.getBoundingClientRect();
        return hasOne() && clientX > left + width / 2 && clientX < left + width ? 'right' : 'left';
    };
    for (const type of ['dragover', 'dragleave', 'drop'])
        addEventListener(type, event => {
            event.preventDefault();
            if (type === 'dragleave' && event.relatedTarget)
                return; // it has come to another part of the page
            stage.classList.toggle('over', type === 'dragover');
            stage.dataset.zone = zoneOf(event);
            if (type === 'drop' && event.dataTransfer.files[0])
                opened(event.dataTransfer.files[0], zoneOf(event));
        });
}
