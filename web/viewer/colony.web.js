// The colony's art: a meadow in section, with the nests and their rooms below it, the ants on it, and seeds that fall.
// Heights grow upwards in this simulation, and downwards on a canvas. The numbers are those of sims/colony.
import { fieldAt, makeLayer } from './fields.js';
import { colourOf, mix } from './map.js';

const APART = 20, SKY = 12, DEPTH = 8, ROOM_SEEDS = 5, TURN = 2 * Math.PI;
const DAY_TICKS = 400, NIGHT_TICKS = 100, DUSK_TICKS = 30;
const NIGHT = [[11, 18, 40], [32, 44, 78], [42, 66, 44]], DAY = [[104, 172, 226], [206, 232, 246], [104, 156, 66]]; // zenith, horizon, grass
const EARTH = ['#6b4a2f', '#3a281b'], DUG = '#241710', SEED = '#e3b44c', LEGS = '#1f1510';
// Which way each ant faces, for each of two matches.
const matches = [];

// 0 at night, 1 by day.
function lightAt(tick) {
    const time = tick % DAY_TICKS, day = time < NIGHT_TICKS ? -Math.min(time, NIGHT_TICKS - time) : Math.min(time - NIGHT_TICKS, DAY_TICKS - time);
    return Math.min(1, Math.max(0, 0.5 + day / DUSK_TICKS));
}

const tint = (at, light) => `rgb(${NIGHT[at].map((from, i) => Math.round(mix(from, DAY[at][i], light))).join(' ')})`;

function ellipse(context, x, y, wide, high) {
    context.beginPath();
    context.ellipse(x, y, wide, high, 0, 0, TURN);
    context.fill();
}

function drawSky({ context, width, toY }, light) {
    const ground = Math.max(1, toY(0)), sky = context.createLinearGradient(0, Math.min(0, toY(-SKY)), 0, ground);
    sky.addColorStop(0, tint(0, light));
    sky.addColorStop(1, tint(1, light));
    context.fillStyle = sky;
    context.fillRect(0, 0, width, ground);
    context.fillStyle = `rgba(255, 255, 255, ${0.8 * (1 - light)})`;
    for (let i = 0; i < 90 && light < 1; i++)
        ellipse(context, i * 0.7548777 % 1 * width, i * 0.5698403 % 1 * ground * 0.8, 0.5 + i % 3 * 0.4, 0.5 + i % 3 * 0.4);
}

function drawEarth({ context, width, height, scale, left, toX, toY }, light) {
    const ground = toY(0), earth = context.createLinearGradient(0, ground, 0, toY(DEPTH));
    EARTH.forEach((colour, at) => earth.addColorStop(at, colour));
    context.fillStyle = earth;
    context.fillRect(0, ground, width, Math.max(0, height - ground));
    context.fillStyle = '#00000026';
    const first = Math.floor(-left / scale), last = Math.ceil((width - left) / scale);
    for (let x = first; x < last && scale > 3; x++) { // stones
        const share = Math.abs(x * 0.7548777) % 1;
        ellipse(context, toX(x), toY(1 + 2 * DEPTH * share), (0.12 + 0.2 * share) * scale, (0.1 + 0.1 * share) * scale);
    }
    context.fillStyle = tint(2, light);
    context.fillRect(0, ground, width, Math.max(2, 0.35 * scale));
    context.strokeStyle = tint(2, light);
    context.lineWidth = Math.max(1, 0.09 * scale);
    context.beginPath();
    for (let blade = 3 * first; blade < 3 * last && scale > 3; blade++) {
        const share = Math.abs(blade * 0.5698403) % 1, x = toX((blade + share) / 3);
        context.moveTo(x, ground + 1);
        context.lineTo(x + (share - 0.5) * 0.5 * scale, ground - (0.2 + 0.5 * share) * scale);
    }
    context.stroke();
}

// The rooms of a nest hold what it has in store.
function drawRooms(scene, nests, rooms) {
    const { context, scale } = scene, ends = new Map(), stock = new Map();
    for (const layer of [nests, rooms]) {
        for (let i = 0; i < layer.count; i++)
            ends.set(layer.entities[2 * i], { at: scene.at(layer, i), parent: layer.fields.parent?.[i] });
    }
    nests.fields.seeds.forEach((seeds, i) => stock.set(nests.entities[2 * i], seeds));
    const all = Array.from({ length: rooms.count }, (_, i) => ends.get(rooms.entities[2 * i])).filter(({ parent }) => ends.has(parent));
    context.strokeStyle = context.fillStyle = DUG;
    context.lineCap = 'round';
    context.lineWidth = Math.max(2.5, 0.5 * scale);
    context.beginPath();
    for (const { at, parent } of all) {
        context.moveTo(...ends.get(parent).at);
        context.lineTo(...at);
    }
    context.stroke();
    for (const { at: [x, y] } of all)
        ellipse(context, x, y, Math.max(5, 0.95 * scale), Math.max(3.5, 0.6 * scale));
    context.fillStyle = SEED;
    for (const { at: [x, y], parent } of all) {
        let nest = parent;
        while (ends.get(nest)?.parent !== undefined)
            nest = ends.get(nest).parent;
        const count = Math.min(ROOM_SEEDS, stock.get(nest) ?? 0);
        stock.set(nest, (stock.get(nest) ?? 0) - count);
        for (let i = 0; i < count; i++)
            ellipse(context, x + (i - 2) * Math.max(2, 0.32 * scale), y + Math.max(1, (0.3 - i % 2 * 0.18) * scale), Math.max(1, 0.17 * scale),
                Math.max(1.2, 0.22 * scale));
    }
}

function drawNests(scene, nests) {
    const { context, scale } = scene;
    for (let i = 0; i < nests.count; i++) {
        const [x, y] = scene.at(nests, i), wide = Math.max(9, 2.2 * scale), high = Math.max(5, 1.2 * scale);
        context.fillStyle = '#7d5836';
        context.strokeStyle = '#4a321f';
        context.lineWidth = Math.max(1, 0.1 * scale);
        context.beginPath();
        context.moveTo(x - wide, y + 1);
        context.bezierCurveTo(x - 0.5 * wide, y, x - 0.5 * wide, y - high, x, y - high);
        context.bezierCurveTo(x + 0.5 * wide, y - high, x + 0.5 * wide, y, x + wide, y + 1);
        context.fill();
        context.stroke();
        context.fillStyle = DUG;
        ellipse(context, x, y - 0.25 * high, 0.24 * wide, 0.26 * high);
        context.strokeStyle = '#8a6a48'; // a flag
        context.beginPath();
        context.moveTo(x, y - high);
        context.lineTo(x, y - 2.6 * high);
        context.stroke();
        context.fillStyle = colourOf(nests.fields.player[i]);
        context.beginPath();
        context.moveTo(x, y - 2.6 * high);
        context.lineTo(x + 0.62 * wide, y - 2.25 * high);
        context.lineTo(x, y - 1.9 * high);
        context.fill();
    }
}

// A seed falls with a parachute.
function drawSeed(context, x, y, size, falls) {
    context.fillStyle = SEED;
    ellipse(context, x, y - size, 0.7 * size, size);
    if (!falls)
        return;
    context.strokeStyle = '#ffffffc0';
    context.lineWidth = Math.max(0.8, 0.2 * size);
    context.beginPath();
    for (const aside of [-1.6, 0, 1.6]) {
        context.moveTo(x, y - 2 * size);
        context.lineTo(x + aside * size, y - 4.2 * size);
    }
    context.stroke();
    context.beginPath();
    context.ellipse(x, y - 4 * size, 2.1 * size, 1.3 * size, 0, Math.PI, TURN);
    context.fillStyle = '#fffffff0';
    context.fill();
}

// Its feet are at the origin, and it faces to the right; `step` moves the legs.
function drawAnt(context, colour, step) {
    context.strokeStyle = context.fillStyle = LEGS;
    context.lineWidth = 0.16;
    context.beginPath();
    [-0.5, 0, 0.5].forEach((away, at) => {
        const swing = 0.28 * Math.sin(step + at * 2.1);
        context.moveTo(0.4 * away, -0.75);
        context.lineTo(1.3 * away + swing, -0.95);
        context.lineTo(1.7 * away + swing, 0);
    });
    context.moveTo(0.8, -1.1); // a feeler
    context.lineTo(1.25, -1.5);
    context.stroke();
    ellipse(context, 0, -0.8, 0.4, 0.28);
    ellipse(context, 0.68, -0.95, 0.36, 0.32);
    context.fillStyle = colour;
    context.lineWidth = 0.1;
    context.beginPath();
    context.ellipse(-0.85, -0.85, 0.68, 0.46, 0, 0, TURN);
    context.fill();
    context.stroke();
}

function drawBodies(scene, nests, bodies) {
    const { context, scale, side } = scene, { home, seeds, most } = bodies.fields;
    const owner = new Map(Array.from(nests.fields.player, (player, i) => [nests.entities[2 * i], player]));
    for (let i = 0; i < bodies.count; i++) {
        const [x, y] = scene.at(bodies, i), isAnt = !Number.isNaN(home[i]), size = Math.max(3, 0.42 * scale) * (most[i] > 1 ? 1.35 : 1);
        if (scene.isOutside(x, y, 6 * size))
            continue;
        if (!isAnt) {
            drawSeed(context, x, y, Math.max(2, 0.26 * scale), bodies.xy[2 * i + 1] < 0);
            continue;
        }
        context.save();
        context.translate(x, y);
        context.scale(size * (matches[side].facing.get(bodies.entities[2 * i]) ?? 1), size);
        drawAnt(context, colourOf(owner.get(home[i]) ?? 15), 4 * (x - scene.left) / scale);
        context.fillStyle = SEED;
        for (let load = 0; load < seeds[i]; load++)
            ellipse(context, -0.75 + 0.5 * load, -1.6, 0.34, 0.42);
        context.restore();
    }
}

export default {
    begin(about, side = 0) {
        matches[side] = { about, facing: new Map() };
    },
    layers(about) {
        const field = path => fieldAt(about, path), at = field => ({ x: field.offset, y: field.offset + 4, isUp: true });
        const vector = (component, name) => about.components.find(each => each.name === component).fields.find(each => each.name === name);
        return [
            makeLayer(about, 'nest', { x: field('nest.x').offset }, { player: field('nest.player'), rooms: field('nest.room_count'), seeds: field('store.seeds') }),
            makeLayer(about, 'room', at(vector('room', 'at')), { parent: field('room.parent') }),
            makeLayer(about, 'physics.body', at(vector('physics.body', 'at')), { home: field('ant.home'), seeds: field('basket.seeds'), most: field('basket.most') }),
        ];
    },
    bounds: ({ players }) => ({ left: -0.5 * APART, top: -SKY - 2, right: (players - 0.4) * APART, bottom: DEPTH }),
    arrive({ layers: [, , bodies] }, side = 0) {
        const { facing } = matches[side], { entities, xy, was } = bodies, now = new Map();
        for (let i = 0; i < bodies.count; i++) {
            const low = entities[2 * i], moved = Math.sign(xy[2 * i] - was[2 * i]);
            now.set(low, moved || (facing.get(low) ?? 1));
        }
        matches[side].facing = now;
    },
    draw(scene) {
        const [nests, rooms, bodies] = scene.frame.layers, light = lightAt(scene.frame.tick);
        drawSky(scene, light);
        drawEarth(scene, light);
        drawRooms(scene, nests, rooms);
        drawNests(scene, nests);
        drawBodies(scene, nests, bodies);
    },
    // The seeds in store; a nest without ants dies.
    players({ layers: [nests, , { fields: { home } }] }, side = 0) {
        const row = player => nests.fields.player.indexOf(player);
        return Array.from({ length: matches[side].about.players }, (_, player) => {
            const at = row(player), ants = home.reduce((sum, nest) => sum + (at >= 0 && nest === nests.entities[2 * at]), 0);
            return { colour: colourOf(player), name: `Player ${player + 1}`, score: at < 0 ? '–' : nests.fields.seeds[at],
                note: at < 0 ? 'dead' : `seeds, ${ants} ${ants === 1 ? 'ant' : 'ants'}` };
        });
    },
};
