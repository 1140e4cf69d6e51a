// The panel beside the map: the chosen entity or the world, search, and a field over time.

const ITEMS_MAX = 12, PADDING = /^(reserved|padding|pad|unused)\d*_*\d*$/;

// An element with properties and children. Texts are never markup.
export function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

const isEntity = value => typeof value === 'string' && /^[^/\s]+\/\d+:\d+$/.test(value);
const isNumber = value => typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' && /^-?\d+$/.test(value);

function valueNodes(value, pick) {
    if (Array.isArray(value) && value.length) {
        const shown = value.slice(0, ITEMS_MAX).flatMap((item, at) => [at ? ', ' : '', ...valueNodes(item, pick)]);
        return value.length > ITEMS_MAX ? [...shown, ` … ${value.length} in all`] : shown;
    }
    if (isEntity(value))
        return [make('button', { type: 'button', textContent: value, onclick: () => pick(value) })];
    return [value === undefined || value === '' || Array.isArray(value) ? 'none' : String(value)];
}

// `other` is the value in a recording that this one is compared with, or of a desynced client, if it differs.
function fieldRow(component, field, value, { pick, plot, other }) {
    const name = make('th', { scope: 'row' }, field), cell = make('td', {}, ...valueNodes(value, pick));
    if (plot && (isNumber(value) || Array.isArray(value) && value.length > 0 && value.length <= 3 && value.every(isNumber)))
        cell.append(make('button', { type: 'button', textContent: '∿', title: `Plot ${component}.${field} over time`,
            ariaLabel: `Plot ${component}.${field} over time`, onclick: () => plot(component, field) }));
    if (other !== undefined)
        cell.append(make('span', { className: 'other' }, ' ≠ ', ...valueNodes(other, pick)));
    return make('tr', { className: other === undefined ? '' : 'differs' }, name, cell);
}

// Without padding, which has a name such as reserved_ and no meaning.
const tableOf = (component, fields, actions, otherOf) => make('table', {}, ...Object.entries(fields).filter(([field]) => !PADDING.test(field)).map(([field, value]) =>
    fieldRow(component, field, value, { ...actions, other: otherOf(component, field, value) })));

// The other value of an entity that a second recording has, where it differs. `other` is null when it does not live there.
function secondOf(other, component, field, value) {
    const found = other?.components[component]?.[field];
    return JSON.stringify(found) === JSON.stringify(value) ? undefined : found === undefined ? 'none' : found;
}

// The components of an entity, and those that it has only in the second recording, whose fields have no value.
function allComponents({ components, other }) {
    const missing = Object.entries(other?.components ?? {}).filter(([name]) => !(name in components));
    return [...Object.entries(components),
        ...missing.map(([name, fields]) => [name, Object.fromEntries(Object.keys(fields).map(field => [field, undefined]))])];
}

// What a desynced client has in a cell. `findings` are cells with their value `client`.
function clientOf(findings, entity, component, field) {
    const found = findings.filter(each => each.entity === entity && each.component === component && each.field === field);
    return found.length ? found.map(({ item, client }) => item === undefined ? client : `[${item}] ${client}`).join(', ') : undefined;
}

// Entity, components, fields. The actions are pick(text), plot(component, field), follow(), leave().
// `entity.other` is what lives in its lane and slot in a second recording, or null.
export function showEntity(panel, entity, follows, actions, findings) {
    const otherOf = (component, field, value) => entity.other === undefined ? clientOf(findings, entity.name, component, field)
        : secondOf(entity.other, component, field, value);
    const alive = entity.isAlive ? '' : entity.other?.isAlive ? ' (only on the right)' : ' (gone)';
    panel.replaceChildren(
        make('h2', {}, make('span', { textContent: entity.name + alive }),
            make('button', { type: 'button', textContent: 'Follow', ariaPressed: String(follows), onclick: actions.follow }),
            make('button', { type: 'button', textContent: '×', ariaLabel: 'Choose nothing', onclick: actions.leave })),
        ...allComponents(entity).flatMap(([name, fields]) =>
            [make('h3', { textContent: name }), tableOf(name, fields, actions, otherOf)]));
}

// The singletons that differ from those of a desynced client are open.
export function showWorld(panel, world, actions, findings) {
    const otherOf = (component, field) => clientOf(findings, undefined, component, field);
    const isFound = name => findings.some(({ entity, component }) => entity === undefined && component === name);
    const open = new Set([...panel.querySelectorAll('details[open]')].map(details => details.dataset.name));
    panel.replaceChildren(
        make('h2', {}, make('span', { textContent: `The world: ${world.entities} entities` })),
        ...Object.entries(world.singletons).map(([name, fields]) => {
            const details = make('details', { open: open.has(name) || isFound(name) }, make('summary', { textContent: name }),
                tableOf(name, fields, { pick: actions.pick }, otherOf));
            details.dataset.name = name;
            return details;
        }));
}

// `points` are pairs of tick and value; NaN where the entity had no such field.
const roundValue = value => Number(value.toPrecision(6)).toString();
const valuesOf = points => points.map(([, value]) => value).filter(value => !Number.isNaN(value));

// The plot in words, for a screen reader.
export function describePlot({ points, first, last }) {
    const values = valuesOf(points), extent = values.length ? `from ${roundValue(Math.min(...values))} to ${roundValue(Math.max(...values))}` : 'without a value';
    return `${extent}, ticks ${first} to ${last}`;
}

export function drawPlot(canvas, { points, first, last, tick }) {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    const style = getComputedStyle(canvas), colour = name => style.getPropertyValue(name);
    const values = valuesOf(points);
    let low = Math.min(...values), high = Math.max(...values);
    if (low === high)
        [low, high] = [low - 1, high + 1];
    const context = canvas.getContext('2d');
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    const atX = at => (at - first) / Math.max(1, last - first) * (width - 4) + 2;
    const atY = value => height - 14 - (value - low) / (high - low) * (height - 28);
    context.fillStyle = colour('--line');
    context.fillRect(atX(tick) - 0.5, 0, 1, height);
    context.strokeStyle = colour('--accent');
    context.lineWidth = 1.5;
    context.beginPath();
    let isDown = false;
    for (const [at, value] of points) {
        if (!Number.isNaN(value))
            context[isDown ? 'lineTo' : 'moveTo'](atX(at), atY(value));
        isDown = !Number.isNaN(value);
    }
    context.stroke();
    if (values.length === 0)
        return;
    context.fillStyle = colour('--faint');
    context.font = '11px system-ui, sans-serif';
    context.fillText(roundValue(Math.max(...values)), 2, 10);
    context.fillText(roundValue(Math.min(...values)), 2, height - 2);
    context.textAlign = 'right';
    context.fillText(`ticks ${first} to ${last}`, width - 2, height - 2);
}
