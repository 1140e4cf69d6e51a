// Field tables: how a cell's bytes become numbers, and which fields say where an entity is, whose it is, how large and
// where it heads. What no simulation describes is guessed from names, as `lockstep watch` does.

// Reads one value as a number; an entity as the low half of its handle, its lane and slot, and NaN for none.
export const readers = {
    u8: (view, at) => view.getUint8(at),
    i8: (view, at) => view.getInt8(at),
    u16: (view, at) => view.getUint16(at, true),
    i16: (view, at) => view.getInt16(at, true),
    u32: (view, at) => view.getUint32(at, true),
    i32: (view, at) => view.getInt32(at, true),
    u64: (view, at) => Number(view.getBigUint64(at, true)),
    i64: (view, at) => Number(view.getBigInt64(at, true)),
    bool: (view, at) => view.getUint8(at),
    enum: (view, at) => view.getUint8(at),
    fix: (view, at) => view.getInt32(at, true) / 65536,
    angle: (view, at) => view.getUint16(at, true) / 65536 * 2 * Math.PI,
    entity: (view, at) => view.getUint32(at + 4, true) || view.getUint32(at, true) ? view.getUint32(at, true) : NaN,
};
readers.fix2 = readers.fix3 = readers.fix; // the first number

const isVector = field => field.type === 'fix2' || field.type === 'fix3';
const matches = (field, names) => names.includes(field.name.toLowerCase());
const OWNERS = ['owner', 'player', 'team', 'side', 'seat', 'faction'];
const RADII = ['radius', 'size', 'r'];
const HEADINGS = ['heading', 'facing', 'angle', 'direction'];

export function findComponent(about, name) {
    return about.components.findIndex(component => component.name === name);
}

// Where a component has two numbers of a position, or null.
function placeOf(component) {
    if (component.isSingleton || /^(vel|mot)/i.test(component.name))
        return null;
    const single = component.fields.filter(field => field.count === 1);
    const named = name => single.find(field => field.type === 'fix' && field.name === name);
    if (named('x') && named('y'))
        return { x: named('x').offset, y: named('y').offset };
    const vector = single.find(isVector);
    return vector ? { x: vector.offset, y: vector.offset + 4 } : null;
}

// The fields of all components that have one number an entity, those of `first` before the others.
export function numberFields(about, first) {
    const order = [first, ...about.components.keys()].filter((column, at, all) => all.indexOf(column) === at);
    return order.flatMap(column => {
        const component = about.components[column];
        return component.isSingleton ? [] : component.fields.filter(field => field.count === 1 && !isVector(field))
            .map(field => ({ ...field, column, path: `${component.name}.${field.name}` }));
    });
}

// The field for a path such as Unit.player.
export function fieldAt(about, path) {
    return numberFields(about, 0).find(field => field.path === path);
}

// What the worker collects of one component with positions: the columns, and the fields of them by a key. `place` has the
// offsets of both numbers: without `y`, that is 0 for all, and with `isUp` it grows upwards.
export function makeLayer(about, name, place, wanted) {
    const columns = [findComponent(about, name)];
    const fields = Object.entries(wanted).filter(([, field]) => field).map(([key, field]) => {
        if (!columns.includes(field.column))
            columns.push(field.column);
        return { key, term: columns.indexOf(field.column), offset: field.offset, type: field.type };
    });
    return { name, columns, sizes: columns.map(column => about.components[column].bytes), place, fields };
}

// The layers of any simulation. `colour` is the path of the field that chooses the colour; '' guesses, and takes the
// lane where nothing fits.
export function guessLayers(about, colour) {
    const layers = [];
    about.components.forEach((component, column) => {
        const place = placeOf(component);
        if (!place)
            return;
        // Fields of another component belong to the entity only beside its position, so shots keep their own.
        const hasOwn = numberFields(about, column).filter(field => field.column === column);
        const all = /^(pos|place)/i.test(component.name) ? numberFields(about, column) : hasOwn;
        const find = (names, types) => all.find(field => matches(field, names) && types.includes(field.type));
        const whole = ['u8', 'u16', 'u32', 'i32', 'enum'];
        const chosen = colour ? all.find(field => field.path === colour)
            : find(OWNERS, whole) ?? all.find(field => field.type === 'enum');
        layers.push(makeLayer(about, component.name, place,
            { colour: chosen, radius: find(RADII, ['fix']), heading: find(HEADINGS, ['angle']) }));
    });
    return layers;
}

// An entity's text without its generation: units/17.
export function entityText(about, low) {
    const name = Object.keys(about.lanes).find(lane => about.lanes[lane] === low >>> 24) ?? 'world';
    return `${name}/${low & 0xffffff}`;
}

// The low half of the handle for units/17 or units/17:3; NaN when it is no entity's text.
export function entityLow(about, text) {
    const [, lane, slot] = /^([^/\s]+)\/(\d{1,8})(?::\d+)?$/.exec(text.trim()) ?? [];
    const number = lane === 'world' ? 0 : about.lanes[lane];
    return number === undefined || Number(slot) > 0xffffff ? NaN : (number << 24 | Number(slot)) >>> 0;
}
