// The regatta's art: boats on a round lake, and buoys. It is steered by a state: rudder and throttle for every tick.
import { findComponent, makeLayer, numberFields } from './fields.js';
import { colourOf, mix } from './map.js';

const LAKE = 60, FULL = 100, TURN = 2 * Math.PI;
const RUDDER_TURN = 400 / 65536 * TURN * 8; // a turn for the full rudder, as that of the bot
const WAKE_S = 1.6, WAKE_PARTS = 24, SHORE = '#b99f6a', WATER = ['#2f86b5', '#1f6a97'];
let about, wakes = [];
const sides = [];
let shown = 0;

function turnTo(side) {
    if (side !== shown) {
        sides[shown] = { about, wakes };
        ({ about, wakes } = sides[side] ?? { wakes: [] });
    }
    shown = side;
}

function drawLake({ context, width, height, scale, toX, toY, isDark, time }) {
    const [x, y, radius] = [toX(0), toY(0), (LAKE + 1) * scale];
    context.fillStyle = isDark ? '#24401f' : '#6f9a4d';
    context.fillRect(0, 0, width, height);
    const water = context.createRadialGradient(x, y, 0, x, y, radius);
    water.addColorStop(0, isDark ? '#163f5c' : WATER[1]);
    water.addColorStop(1, isDark ? '#1d577a' : WATER[0]);
    context.beginPath();
    context.arc(x, y, radius, 0, TURN);
    context.fillStyle = water;
    context.strokeStyle = SHORE;
    context.lineWidth = 1.6 * scale;
    context.stroke();
    context.fill();
    // Waves, which come and go.
    context.strokeStyle = '#ffffff1c';
    context.lineWidth = Math.max(0.6, 0.12 * scale);
    context.beginPath();
    for (let i = 0; i < 90; i++) {
        const away = LAKE * 0.96 * Math.sqrt(i * 0.7548777 % 1), angle = i * 0.5698403 % 1 * TURN;
        const [waveX, waveY] = [toX(away * Math.cos(angle)), toY(away * Math.sin(angle))], length = (1 + Math.sin(time + i)) * scale;
        context.moveTo(waveX - length, waveY);
        context.quadraticCurveTo(waveX, waveY - 0.5 * length, waveX + length, waveY);
    }
    context.stroke();
}

function drawBuoys(scene, layer) {
    const { context, scale, time } = scene, radius = Math.max(3.5, 0.9 * scale);
    for (let i = 0; i < layer.count; i++) {
        const [x, y] = scene.at(layer, i), sway = 0.12 * Math.sin(2 * time + i);
        context.fillStyle = '#00000030';
        context.beginPath();
        context.ellipse(x + 0.3 * radius, y + 0.5 * radius, radius, 0.6 * radius, 0, 0, TURN);
        context.fill();
        context.save();
        context.translate(x, y);
        context.rotate(sway);
        for (const [colour, size] of [['#f4f6f8', 1], ['#e2483d', 0.72], ['#f4f6f8', 0.34]]) {
            context.fillStyle = colour;
            context.beginPath();
            context.arc(0, 0, size * radius, 0, TURN);
            context.fill();
        }
        context.restore();
    }
}

function drawWakes({ context, scale, toX, toY, frame }) {
    context.lineCap = 'round';
    for (const { tick, x, y, width } of wakes) {
        const age = (frame.tick - tick) / about.tickRate / WAKE_S;
        if (age < 0 || age > 1)
            continue;
        context.fillStyle = `rgba(255, 255, 255, ${0.22 * (1 - age) * width})`;
        context.beginPath();
        context.arc(toX(x), toY(y), mix(0.35, 1.1, age) * scale, 0, TURN);
        context.fill();
    }
}

function drawBoat(context, colour, rudder, isOwn) {
    context.fillStyle = '#00000038';
    context.beginPath();
    context.ellipse(-0.1, 0.35, 1.7, 0.75, 0, 0, TURN);
    context.fill();
    context.strokeStyle = '#3a2a1a'; // the rudder
    context.lineWidth = 0.22;
    context.beginPath();
    context.moveTo(-1.5, 0);
    context.lineTo(-1.5 - 0.7 * Math.cos(0.7 * rudder), -0.7 * Math.sin(0.7 * rudder));
    context.stroke();
    context.fillStyle = colour;
    context.strokeStyle = isOwn ? '#fff' : '#0007';
    context.lineWidth = isOwn ? 0.24 : 0.14;
    context.beginPath();
    context.moveTo(1.9, 0);
    context.quadraticCurveTo(0.8, 0.95, -1.5, 0.7);
    context.lineTo(-1.5, -0.7);
    context.quadraticCurveTo(0.8, -0.95, 1.9, 0);
    context.fill();
    context.stroke();
    context.fillStyle = '#f2e6cf'; // the deck
    context.beginPath();
    context.ellipse(-0.25, 0, 0.85, 0.38, 0, 0, TURN);
    context.fill();
    context.fillStyle = '#ffffffe0'; // the sail
    context.beginPath();
    context.moveTo(0.6, 0);
    context.quadraticCurveTo(-0.2, 0.75 * (rudder >= 0 ? 1 : -1), -1.2, 0.3 * (rudder >= 0 ? 1 : -1));
    context.closePath();
    context.fill();
}

function drawBoats(scene, layer) {
    const { context, scale } = scene, size = Math.max(5, 1.5 * scale), { player, heading, rudder } = layer.fields;
    for (let i = 0; i < layer.count; i++) {
        const [x, y] = scene.at(layer, i);
        context.save();
        context.translate(x, y);
        context.scale(size, size);
        context.rotate(heading[i]);
        drawBoat(context, colourOf(player[i]), rudder[i] / FULL, scene.command?.player === player[i]);
        context.restore();
    }
}

// A bell for a buoy, and water.
const BELL = [{ wave: 'sine', from: 880, seconds: 0.9, level: 0.5 }, { wave: 'sine', from: 1318.5, seconds: 0.6, level: 0.25 },
    { wave: 'noise', from: 700, to: 1600, seconds: 0.4, level: 0.3, swell: 0.08 }];

const bytesOf = (rudder, throttle) => Int8Array.of(rudder, throttle);

export default {
    steering: {
        help: [['← →, a d', 'the rudder'], ['↑ ↓, w s', 'forward, and back'], ['hold the mouse or a finger', 'sail there']],
        hint: 'Hold the mouse or a finger where the boat is to sail, or use the arrows. Collect buoys.',
        keys: { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'forward', ArrowDown: 'back', a: 'left', d: 'right', w: 'forward', s: 'back' },
        // What is held, from the keys.
        held: keys => bytesOf(FULL * (keys.has('right') - keys.has('left')), FULL * (keys.has('forward') - keys.has('back'))),
        // What leads the player's boat to a place: as the bot does, the sharper the turn, the slower.
        towards({ layers: [boats] }, player, x, y) {
            const own = boats.fields.player.indexOf(player);
            if (own < 0)
                return bytesOf(0, 0);
            const dx = x - boats.xy[2 * own], dy = y - boats.xy[2 * own + 1], wanted = Math.atan2(dy, dx) - boats.fields.heading[own];
            const turn = Math.atan2(Math.sin(wanted), Math.cos(wanted)) / RUDDER_TURN;
            const rudder = Math.round(FULL * Math.min(1, Math.max(-1, turn)));
            return bytesOf(rudder, dx * dx + dy * dy < 1 ? 0 : FULL - Math.round(Math.abs(rudder) * 0.9));
        },
    },
    begin(newAbout, side = 0) {
        turnTo(side);
        about = newAbout;
        wakes = [];
    },
    layers(about) {
        const layerOf = (name, wanted) => {
            const column = findComponent(about, name), { fields } = about.components[column];
            const at = fields.find(field => field.name === 'at').offset, numbers = numberFields(about, column);
            return makeLayer(about, name, { x: at, y: at + 4 },
                Object.fromEntries(wanted.map(key => [key, numbers.find(field => field.path === `${name}.${key}`)])));
        };
        return [layerOf('boat', ['player', 'score', 'heading', 'rudder', 'throttle']), layerOf('buoy', [])];
    },
    bounds: () => ({ left: -LAKE - 2, top: -LAKE - 2, right: LAKE + 2, bottom: LAKE + 2 }),
    // Notes where the boats were.
    arrive(frame, side = 0) {
        turnTo(side);
        const [boats] = frame.layers, { heading, throttle } = boats.fields, step = Math.max(1, Math.round(about.tickRate * WAKE_S / WAKE_PARTS));
        const oldest = frame.tick - WAKE_S * about.tickRate;
        wakes = wakes.filter(({ tick }) => tick <= frame.tick && tick > oldest);
        const last = wakes.at(-1)?.tick ?? -Infinity; // frames may leave out ticks
        for (let i = 0; i < boats.count && frame.tick - last >= step; i++)
            wakes.push({ tick: frame.tick, x: boats.xy[2 * i] - 1.4 * Math.cos(heading[i]), y: boats.xy[2 * i + 1] - 1.4 * Math.sin(heading[i]),
                width: Math.abs(throttle[i]) / FULL });
    },
    draw(scene) {
        turnTo(scene.side);
        const [boats, buoys] = scene.frame.layers;
        drawLake(scene);
        drawWakes(scene);
        drawBuoys(scene, buoys);
        drawBoats(scene, boats);
    },
    // A boat whose score is higher than before has collected a buoy.
    sounds({ layers: [boats] }, { layers: [before] }) {
        const { player, score } = boats.fields, old = owner => before.fields.score[before.fields.player.indexOf(owner)];
        return [...player.keys()].filter(i => score[i] > old(player[i])).map(i => ({ x: boats.xy[2 * i], y: boats.xy[2 * i + 1], tones: BELL, strength: 0.4 }));
    },
    players: ({ layers: [boats] }) => Array.from(boats.fields.player, (player, i) => ({ player, score: boats.fields.score[i] }))
        .sort((a, b) => a.player - b.player)
        .map(({ player, score }) => ({ colour: colourOf(player), name: `Player ${player + 1}`, score, note: score === 1 ? 'buoy' : 'buoys' })),
};
