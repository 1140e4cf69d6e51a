// The entities of a state as arrays, which a worker hands to the page: their positions, and the fields that art asks for.
import { readers } from './fields.js';

// Columns beyond the third come with a further call, which gives the same entities.
function collect(engine, columns, sizes) {
    const rows = engine.rows(columns.slice(0, 3), sizes.slice(0, 3));
    rows.cells = [...rows.cells];
    const has = columns.map((column, term) => term < 3 ? rows.presence.map(bits => bits >> term & 1) : null);
    for (let term = 3; term < columns.length; term++) {
        const more = engine.rows([columns[0], columns[term]], [sizes[0], sizes[term]]);
        rows.cells[term] = more.cells[1];
        has[term] = more.presence.map(bits => bits >> 1);
    }
    return { ...rows, has };
}

function readLayer(engine, layer) {
    const { count, entities, cells, has } = collect(engine, layer.columns, layer.sizes);
    const { x, y, isUp } = layer.place, xy = new Float32Array(2 * count), fields = {};
    for (let i = 0, at = 0; i < count; i++, at += layer.sizes[0]) {
        xy[2 * i] = readers.fix(cells[0], at + x);
        const down = y === undefined ? 0 : readers.fix(cells[0], at + y);
        xy[2 * i + 1] = isUp ? 0 - down : down;
    }
    for (const { key, term, offset, type } of layer.fields) {
        const values = fields[key] = new Float64Array(count), read = readers[type], size = layer.sizes[term];
        for (let i = 0; i < count; i++)
            values[i] = has[term][i] ? read(cells[term], i * size + offset) : NaN;
    }
    return { name: layer.name, count, entities, xy, was: xy.slice(), born: [], gone: [], fields };
}

// Takes each entity's position in the frame before, and lists the rows that are new and the entities that are gone. Both
// layers are ordered by lane and slot.
function compareLayers(layer, old) {
    let k = 0;
    const leave = to => {
        for (; k < old.count && old.entities[2 * k] < to; k++)
            layer.gone.push(k);
    };
    for (let i = 0; i < layer.count; i++) {
        leave(layer.entities[2 * i]);
        const isTaken = k < old.count && old.entities[2 * k] === layer.entities[2 * i];
        if (isTaken && old.entities[2 * k + 1] === layer.entities[2 * i + 1]) {
            layer.was.set(old.xy.subarray(2 * k, 2 * k + 2), 2 * i);
        } else {
            layer.born.push(i);
            if (isTaken)
                layer.gone.push(k);
        }
        if (isTaken)
            k++;
    }
    leave(Infinity);
    layer.gone = layer.gone.map(at => ({
        x: old.xy[2 * at], y: old.xy[2 * at + 1],
        ...Object.fromEntries(Object.entries(old.fields).map(([key, values]) => [key, values[at]])),
    }));
}

// Reads the layers of a plan. With `continues`, they are compared with those of the frame before, `before`. Gives them,
// and what to keep of them for the next call, because the page takes the rest.
export function readLayers(engine, plan, before, continues) {
    const layers = plan.map(layer => readLayer(engine, layer));
    if (continues)
        layers.forEach((layer, at) => before[at]?.name === layer.name && compareLayers(layer, before[at]));
    return { layers, kept: layers.map(({ name, count, entities, xy, fields }) => ({ name, count, entities, xy, fields })) };
}
