// How skirmish looks: grass and roads, keeps, footmen, archers and catapults, arrows and boulders in flight, and what a
// battle leaves behind. The numbers are those of sims/skirmish/rules.c and only change the picture.
import { fieldAt, makeLayer } from './fields.js';
import { colourOf, drawDots, mix } from './map.js';

const SQUADS = 8, RELOAD = 18, TURN = 2 * Math.PI;
const FOOTMAN = 0, ARCHER = 1, CATAPULT = 2, KEEP = 3;
const HEALTH = [70, 40, 90, 1500], RADIUS = [0.62, 0.56, 1.05, 2.6], SHOT_SPEED = [0, 0.8, 0.5, 0.9];
const SHOT_TICKS = 100, GROUND_PIXELS = 2048, MARGIN = 5, SMALL_PIXELS = 5.5;
const LIFE_S = { puff: 0.7, stain: 14, blast: 0.9, scorch: 20, ping: 1.2 };
// The sounds (docs/web.md, Sounds); most are soft, because a battle has much of them.
const SWORD = [{ wave: 'triangle', from: 1500, to: 1250, seconds: 0.09, level: 0.35 }, { wave: 'noise', from: 3200, to: 2200, seconds: 0.05, level: 0.5 }];
const BOW = [{ wave: 'triangle', from: 230, to: 150, seconds: 0.08, level: 0.6 }, { wave: 'noise', from: 800, to: 1900, seconds: 0.12, level: 0.6, swell: 0.03 }];
const THROW = [{ wave: 'sine', from: 150, to: 70, seconds: 0.25 }, { wave: 'noise', from: 300, to: 700, seconds: 0.35, level: 0.7, swell: 0.1 }];
const THUD = [{ wave: 'noise', from: 600, to: 250, seconds: 0.06, level: 0.7 }, { wave: 'sine', from: 170, to: 90, seconds: 0.07, level: 0.5 }];
const FALL = [{ wave: 'sine', from: 210, to: 95, seconds: 0.22, level: 0.7 }, { wave: 'noise', from: 450, to: 150, seconds: 0.25, level: 0.6 }];
const BLAST = [{ wave: 'sine', from: 100, to: 38, seconds: 0.6 }, { wave: 'noise', from: 420, to: 90, seconds: 0.55 }];
const COLLAPSE = [{ wave: 'sine', from: 75, to: 28, seconds: 1.4 }, { wave: 'noise', from: 320, to: 60, seconds: 1.6 }];
const FANFARE = [196, 261.6, 329.6, 392].map((from, at) => ({ wave: 'triangle', from, seconds: at < 3 ? 0.35 : 1, level: 0.5, after: 0.22 * at, swell: 0.03 }));
const SHOTS = { [ARCHER]: { tones: BOW, strength: 0.25 }, [CATAPULT]: { tones: THROW, strength: 0.5 }, [KEEP]: { tones: BOW, strength: 0.35 } };
const HITS = { [ARCHER]: { tones: THUD, strength: 0.35 }, [CATAPULT]: { tones: BLAST, strength: 0.8 }, [KEEP]: { tones: THUD, strength: 0.45 } };
const kindOf = squad => squad < 4 ? FOOTMAN : squad < 7 ? ARCHER : squad < 8 ? CATAPULT : KEEP;
const edgeOf = about => 32 + Math.sqrt(9 * about.options.units);

const sprites = new Map();
// What is remembered of a match. Two matches can be shown beside each other.
let about, ground, seen = {}, effects = [], standing = null, headings = new Map();
const sides = [];
let shown = 0;

function turnTo(side) {
    if (side === shown)
        return;
    sides[shown] = { about, ground, seen, effects, standing, headings };
    ({ about, ground, seen, effects, standing, headings } = sides[side] ?? {});
    shown = side;
}

function circle(context, x, y, radius) {
    context.beginPath();
    context.arc(x, y, radius, 0, TURN);
}

// Random numbers for the picture, the same for each match.
function makeRandom(seed) {
    let state = Number(BigInt.asUintN(32, BigInt(seed))) | 1;
    return () => {
        state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0;
        return (state >>> 8) / 2 ** 24;
    };
}

function baseOf(player) {
    const { players, options } = about, edge = edgeOf(about);
    const sides = Math.min(options.sides && options.sides <= players ? options.sides : players, 8);
    const allies = Math.ceil(players / sides), seat = player % sides * allies + Math.floor(player / sides);
    const angle = (2 * seat + 1) / (2 * sides * allies) * TURN;
    return { x: edge / 2 + Math.cos(angle) * 0.38 * edge, y: edge / 2 + Math.sin(angle) * 0.38 * edge };
}

function drawRoads(context, edge) {
    const middle = edge / 2;
    context.lineCap = 'round';
    for (const [colour, width] of [['#6d7a3f55', 5], ['#a8935a66', 3.2], ['#bda66b55', 1.6]]) {
        context.strokeStyle = colour;
        context.lineWidth = width;
        for (let player = 0; player < about.players; player++) {
            const { x, y } = baseOf(player);
            context.beginPath();
            context.moveTo(x, y);
            context.quadraticCurveTo(mix(x, middle, 0.5) + (y - middle) * 0.12, mix(y, middle, 0.5) - (x - middle) * 0.12, middle, middle);
            context.stroke();
        }
        circle(context, middle, middle, edge * 0.05);
        context.stroke();
    }
}

function drawTree(context, x, y, radius, random) {
    context.fillStyle = '#00000038';
    circle(context, x + radius * 0.35, y + radius * 0.45, radius);
    context.fill();
    for (const [share, light] of [[1, 14], [0.72, 19], [0.4, 25]]) {
        context.fillStyle = `hsl(${mix(112, 138, random())} 34% ${light + 3 * random()}%)`;
        circle(context, x - radius * (1 - share) * 0.35, y - radius * (1 - share) * 0.4, radius * share);
        context.fill();
    }
}

// The map and a rim of forest, drawn once.
function makeGround() {
    const edge = edgeOf(about), random = makeRandom(about.seed), canvas = new OffscreenCanvas(GROUND_PIXELS, GROUND_PIXELS);
    const context = canvas.getContext('2d'), whole = edge + 2 * MARGIN;
    context.scale(GROUND_PIXELS / whole, GROUND_PIXELS / whole);
    context.translate(MARGIN, MARGIN);
    const light = context.createRadialGradient(edge / 2, edge / 2, 0, edge / 2, edge / 2, edge * 0.8);
    light.addColorStop(0, '#86a553');
    light.addColorStop(1, '#5b7d3d');
    context.fillStyle = light;
    context.fillRect(-MARGIN, -MARGIN, whole, whole);
    for (let i = 0; i < 900; i++) {
        const x = random() * edge, y = random() * edge, radius = (0.01 + random() ** 3 * 0.07) * edge;
        context.fillStyle = random() < 0.5 ? '#a9bb5f16' : '#3a5f2b16';
        context.beginPath();
        context.ellipse(x, y, radius, radius * mix(0.4, 1, random()), random() * TURN, 0, TURN);
        context.fill();
    }
    drawRoads(context, edge);
    context.lineWidth = whole / GROUND_PIXELS * 1.5;
    for (let i = 0; i < 5000; i++) {
        const x = random() * edge, y = random() * edge, size = whole / GROUND_PIXELS * mix(3, 8, random());
        context.strokeStyle = random() < 0.6 ? '#40632f55' : '#b9c97555';
        context.beginPath();
        context.moveTo(x - size / 2, y - size);
        context.lineTo(x, y);
        context.lineTo(x + size / 2, y - size);
        context.stroke();
    }
    const trees = Math.min(1800, Math.round(edge * 7));
    for (let i = 0; i < trees; i++) {
        const along = mix(-MARGIN, edge + MARGIN, random()), away = mix(-MARGIN, 0.6, Math.sqrt(random()) ** 0.7);
        const [x, y] = [[along, away], [along, edge - away], [away, along], [edge - away, along]][i % 4];
        drawTree(context, x, y, mix(0.9, 2.1, random()), random);
    }
    return canvas;
}

// Scaling the ground is slow without a graphics processor, so what a camera sees of it is kept.
function drawGround({ context, width, height, ratio, scale, left, top }) {
    const view = [width, height, ratio, scale, left, top].join(), [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (seen.view !== view) {
        if (seen.canvas?.width !== across || seen.canvas.height !== down)
            seen.canvas = new OffscreenCanvas(across, down);
        seen.view = view;
        const into = seen.canvas.getContext('2d', { alpha: false });
        into.setTransform(ratio, 0, 0, ratio, 0, 0);
        paintGround(into, { width, height, scale, left, top });
    }
    context.drawImage(seen.canvas, 0, 0, width, height);
}

function paintGround(context, { width, height, scale, left, top }) {
    const edge = edgeOf(about);
    context.fillStyle = '#1d2f1f'; // the forest around
    context.fillRect(0, 0, width, height);
    ground ??= makeGround();
    context.imageSmoothingQuality = 'medium';
    context.drawImage(ground, left - MARGIN * scale, top - MARGIN * scale, (edge + 2 * MARGIN) * scale, (edge + 2 * MARGIN) * scale);
}

const paint = {
    [FOOTMAN](context, colour) {
        context.strokeStyle = '#e3e7ea'; // sword
        context.lineWidth = 0.22;
        context.beginPath();
        context.moveTo(0.2, 0.75);
        context.lineTo(1.55, 0.55);
        context.stroke();
        body(context, colour, 0.95);
        context.fillStyle = colour;
        context.strokeStyle = '#fffc'; // shield
        context.lineWidth = 0.16;
        context.beginPath();
        context.ellipse(0.62, -0.5, 0.32, 0.58, -0.3, 0, TURN);
        context.fill();
        context.stroke();
        helmet(context, '#c3c9ce', 0.48);
    },
    [ARCHER](context, colour) {
        body(context, colour, 0.82);
        context.strokeStyle = '#6b4423'; // bow and string
        context.lineWidth = 0.2;
        context.beginPath();
        context.arc(0.15, 0, 1.15, -1.1, 1.1);
        context.stroke();
        context.strokeStyle = '#fff9';
        context.lineWidth = 0.08;
        context.beginPath();
        context.moveTo(0.15 + 1.15 * Math.cos(1.1), -1.15 * Math.sin(1.1));
        context.lineTo(0.15 + 1.15 * Math.cos(1.1), 1.15 * Math.sin(1.1));
        context.stroke();
        helmet(context, '#4b3a2c', 0.5);
    },
    [CATAPULT](context, colour) {
        context.fillStyle = '#2d2118';
        for (const [x, y] of [[-0.75, -0.8], [-0.75, 0.55], [0.4, -0.8], [0.4, 0.55]])
            context.fillRect(x, y, 0.55, 0.28);
        context.fillStyle = '#7a5230';
        context.strokeStyle = '#3c2817';
        context.lineWidth = 0.1;
        context.fillRect(-1, -0.55, 2, 1.1);
        context.strokeRect(-1, -0.55, 2, 1.1);
        context.fillStyle = colour;
        context.fillRect(-0.95, -0.5, 0.5, 1);
        context.strokeStyle = '#c59a66';
        context.lineWidth = 0.22;
        context.beginPath();
        context.moveTo(-0.6, 0);
        context.lineTo(1, 0);
        context.stroke();
        context.fillStyle = '#4a4038';
        circle(context, 1, 0, 0.3);
        context.fill();
    },
};

// From afar only colour and kind are told apart.
function paintSmall(context, kind, colour) {
    body(context, colour, kind === FOOTMAN ? 1.05 : 0.85);
    context.fillStyle = kind === FOOTMAN ? '#fff8' : '#0009';
    circle(context, 0.15, 0, 0.34);
    context.fill();
}

function body(context, colour, radius) {
    context.fillStyle = colour;
    context.strokeStyle = '#1b1d20c0';
    context.lineWidth = 0.16;
    context.beginPath();
    context.ellipse(0, 0, radius * 0.8, radius, 0, 0, TURN);
    context.fill();
    context.stroke();
}

function helmet(context, colour, radius) {
    context.fillStyle = colour;
    context.strokeStyle = '#1b1d2090';
    context.lineWidth = 0.1;
    circle(context, 0, 0, radius);
    context.fill();
    context.stroke();
    context.fillStyle = '#ffffff70';
    circle(context, -radius * 0.25, -radius * 0.3, radius * 0.35);
    context.fill();
}

// A unit that faces right, in its player's colour: drawn once for each zoom.
function spriteOf(kind, player, radius, ratio) {
    const pixels = Math.max(4, Math.ceil(radius * ratio)), key = `${kind}/${player}/${pixels}`;
    if (sprites.has(key))
        return sprites.get(key);
    if (sprites.size > 400)
        sprites.clear();
    const canvas = new OffscreenCanvas(4 * pixels, 4 * pixels), context = canvas.getContext('2d');
    context.translate(2 * pixels, 2 * pixels);
    context.scale(pixels, pixels);
    if (kind !== CATAPULT && pixels < SMALL_PIXELS * ratio)
        paintSmall(context, kind, colourOf(player));
    else
        paint[kind](context, colourOf(player));
    sprites.set(key, canvas);
    return canvas;
}

function drawBar(context, x, y, width, share, colour) {
    context.fillStyle = '#000a';
    context.fillRect(x - width / 2 - 1, y - 1, width + 2, 5);
    context.fillStyle = share > 0.5 ? colour : share > 0.25 ? '#f5b82e' : '#f2545b';
    context.fillRect(x - width / 2, y, width * Math.max(0, share), 3);
}

function drawKeep(scene, x, y, player, points) {
    const { context } = scene, half = Math.max(9, RADIUS[KEEP] * scene.scale), colour = colourOf(player);
    context.fillStyle = '#0004';
    context.fillRect(x - half * 0.9, y - half * 0.8, half * 2.1, half * 2.1);
    context.fillStyle = '#8d8f93';
    context.strokeStyle = '#3b3d41';
    context.lineWidth = Math.max(1, half * 0.06);
    context.fillRect(x - half, y - half, 2 * half, 2 * half);
    context.strokeRect(x - half, y - half, 2 * half, 2 * half);
    context.fillStyle = '#6c6e73';
    context.fillRect(x - half * 0.7, y - half * 0.7, half * 1.4, half * 1.4);
    context.fillStyle = colour;
    context.beginPath();
    for (const [dx, dy] of [[-0.52, -0.52], [0.52, -0.52], [0.52, 0.52], [-0.52, 0.52]])
        context.lineTo(x + dx * half, y + dy * half);
    context.closePath();
    context.fill();
    context.strokeStyle = '#0005';
    context.beginPath();
    context.moveTo(x - half * 0.52, y - half * 0.52);
    context.lineTo(x + half * 0.52, y + half * 0.52);
    context.moveTo(x + half * 0.52, y - half * 0.52);
    context.lineTo(x - half * 0.52, y + half * 0.52);
    context.stroke();
    for (const [dx, dy] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        context.fillStyle = '#a4a6aa';
        context.strokeStyle = '#3b3d41';
        circle(context, x + dx * half * 0.92, y + dy * half * 0.92, half * 0.36);
        context.fill();
        context.stroke();
        context.fillStyle = colour;
        circle(context, x + dx * half * 0.92, y + dy * half * 0.92, half * 0.18);
        context.fill();
    }
    const wave = Math.sin(scene.time * 5 + player) * half * 0.12; // the flag
    context.strokeStyle = '#2a2018';
    context.lineWidth = Math.max(1.2, half * 0.09);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x, y - half * 1.9);
    context.stroke();
    context.fillStyle = colour;
    context.strokeStyle = '#0006';
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, y - half * 1.9);
    context.quadraticCurveTo(x + half * 0.5, y - half * 1.8 + wave, x + half, y - half * 1.65 - wave);
    context.lineTo(x, y - half * 1.3);
    context.closePath();
    context.fill();
    context.stroke();
    drawBar(context, x, y + half * 1.35, 2 * half, points / HEALTH[KEEP], '#7bd88f');
}

// A unit faces its target, else where it goes, else where it looked before.
function headingOf(units, rows, i) {
    const { xy, was, entities, fields } = units, target = rows.get(fields.target[i]);
    const dx = xy[2 * i] - was[2 * i], dy = xy[2 * i + 1] - was[2 * i + 1], low = entities[2 * i];
    let heading = headings.get(low) ?? Math.atan2(edgeOf(about) / 2 - xy[2 * i + 1], edgeOf(about) / 2 - xy[2 * i]);
    if (target !== undefined)
        heading = Math.atan2(xy[2 * target + 1] - xy[2 * i + 1], xy[2 * target] - xy[2 * i]);
    else if (dx * dx + dy * dy > 1e-4)
        heading = Math.atan2(dy, dx);
    headings.set(low, heading);
    return heading;
}

function drawUnits(scene, units) {
    const { context, scale, ratio } = scene, { player, squad, points, ready } = units.fields;
    const grow = Math.max(scale, units.count < 3000 ? 4.6 : 2.4);
    if (grow * RADIUS[FOOTMAN] < 2.2 || units.count > 12000 && scale < 6) {
        drawDots(scene, units, Math.max(0.5, scale * 0.45), i => player[i] % 16 + 16 * (kindOf(squad[i]) % KEEP));
    } else {
        units.rows ??= new Map(Array.from({ length: units.count }, (_, i) => [units.entities[2 * i], i]));
        for (let i = 0; i < units.count; i++) {
            const kind = kindOf(squad[i]), radius = grow * RADIUS[kind], [x, y] = scene.at(units, i);
            if (kind === KEEP || scene.isOutside(x, y, 2 * radius))
                continue;
            const heading = headingOf(units, units.rows, i), since = RELOAD - (ready[i] - scene.frame.tick - scene.share);
            const thrust = kind === FOOTMAN && since >= 0 && since < 5 ? Math.sin(since / 5 * Math.PI) * 0.45 * radius : 0;
            const sprite = spriteOf(kind, player[i], radius, ratio), cos = Math.cos(heading), sin = Math.sin(heading);
            if (radius > 4) {
                context.fillStyle = '#0004';
                circle(context, x + radius * 0.22, y + radius * 0.3, radius * 0.9);
                context.fill();
            }
            context.setTransform(cos * ratio, sin * ratio, -sin * ratio, cos * ratio, (x + cos * thrust) * ratio, (y + sin * thrust) * ratio);
            context.drawImage(sprite, -2 * radius, -2 * radius, 4 * radius, 4 * radius);
            context.setTransform(ratio, 0, 0, ratio, 0, 0);
            if (radius > 6 && points[i] < HEALTH[kind])
                drawBar(context, x, y - radius * 1.7, 2 * radius, points[i] / HEALTH[kind], '#7bd88f');
        }
    }
    drawCommanded(scene, units);
    for (let i = 0; i < units.count; i++) {
        if (kindOf(squad[i]) === KEEP)
            drawKeep(scene, ...scene.at(units, i), player[i], points[i]);
    }
}

// Rings around the units that the player commands now.
function drawCommanded(scene, units) {
    const { context, command } = scene, { player, squad } = units.fields;
    if (!command?.groups)
        return;
    const radius = Math.max(3, 0.95 * Math.max(scene.scale, units.count < 3000 ? 4.6 : 2.4));
    context.strokeStyle = '#fff8';
    context.lineWidth = 1;
    context.beginPath();
    for (let i = 0; i < units.count; i++) {
        const [x, y] = player[i] === command.player && command.groups >> squad[i] & 1 ? scene.at(units, i) : [NaN, NaN];
        if (Number.isNaN(x) || scene.isOutside(x, y, radius))
            continue;
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, TURN);
    }
    context.stroke();
}

// A shot rises and falls; its shadow stays on the ground.
function drawShots(scene, shots) {
    const { context } = scene, { aimX, aimY, ticks, kind } = shots.fields, grow = Math.max(scene.scale, 4);
    if (shots.count > 6000)
        return;
    for (let i = 0; i < shots.count; i++) {
        const [x, y] = scene.at(shots, i), toX = scene.toX(aimX[i]), toY = scene.toY(aimY[i]);
        if (scene.isOutside(x, y, 60))
            continue;
        const left = Math.hypot(toX - x, toY - y) / scene.scale / SHOT_SPEED[kind[i]], flown = SHOT_TICKS - ticks[i] + scene.share;
        const way = flown / Math.max(1, flown + left), high = 4 * way * (1 - way) * (flown + left) * SHOT_SPEED[kind[i]] * 0.16 * scene.scale;
        if (kind[i] === CATAPULT) {
            context.fillStyle = '#0005';
            circle(context, x, y, 0.4 * grow);
            context.fill();
            context.fillStyle = '#38322d';
            circle(context, x, y - high, (0.42 + high / scene.scale * 0.05) * grow);
            context.fill();
            context.fillStyle = '#8d847a';
            circle(context, x - 0.12 * grow, y - high - 0.14 * grow, 0.16 * grow);
            context.fill();
            continue;
        }
        const length = Math.hypot(toX - x, toY - y) || 1, climb = (1 - 2 * way) * 0.5;
        const dx = (toX - x) / length * 0.75 * grow, dy = (toY - y) / length * 0.75 * grow - climb * 0.5 * grow;
        context.strokeStyle = '#0003';
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x - dx, y - dy);
        context.lineTo(x + dx, y + dy);
        context.stroke();
        context.strokeStyle = '#fff3d0';
        context.lineWidth = Math.max(1, 0.16 * grow);
        context.beginPath();
        context.moveTo(x - dx, y - dy - high);
        context.lineTo(x + dx, y + dy - high);
        context.stroke();
    }
}

// What `isBelow` tells: marks on the ground are drawn before the units, smoke and flames after them.
function drawEffects(scene, isBelow) {
    const { context } = scene, now = scene.frame.tick - 1 + scene.share, grow = Math.max(scene.scale, 4);
    for (const { kind, tick, x, y, size, player } of effects) {
        const age = (now - tick) / about.tickRate / LIFE_S[kind], px = scene.toX(x), py = scene.toY(y);
        if (age < 0 || age > 1 || isBelow !== (kind === 'stain' || kind === 'scorch') || scene.isOutside(px, py, 80))
            continue;
        context.globalAlpha = kind === 'stain' || kind === 'scorch' ? 0.5 * (1 - age) : 1 - age;
        if (kind === 'stain' || kind === 'scorch') {
            context.fillStyle = kind === 'stain' ? '#4a1d14' : '#17120e';
            context.beginPath();
            context.ellipse(px, py, size * grow, size * grow * 0.7, x + y, 0, TURN);
            context.fill();
        } else if (kind === 'puff') {
            context.fillStyle = '#d9d2c4';
            for (const [dx, dy] of [[0, -1], [0.9, 0.4], [-0.8, 0.5]]) {
                circle(context, px + dx * age * size * grow, py + dy * age * size * grow, (0.35 + 0.5 * age) * size * grow);
                context.fill();
            }
        } else if (kind === 'blast') {
            for (const [colour, share] of [['#5b5148', 1.3], ['#ff9a3d', 1], ['#ffe9a8', 0.55]]) {
                context.fillStyle = colour;
                circle(context, px, py, size * grow * share * Math.sqrt(age + 0.05));
                context.fill();
            }
        } else {
            context.strokeStyle = colourOf(player);
            context.lineWidth = 2;
            circle(context, px, py, (6 + 18 * age));
            context.stroke();
        }
    }
    context.globalAlpha = 1;
}

// The orders of the chosen unit's player, or of the groups that are commanded: a flag where each squad is sent.
function drawOrders(scene, units) {
    const { context, chosen, command } = scene, orders = scene.frame.world.singletons.Standing;
    if (chosen?.layer !== units && !command?.groups)
        return;
    const player = command ? command.player : units.fields.player[chosen.row];
    const own = command ? -1 : units.fields.squad[chosen.row];
    const [fromX, fromY] = command ? [0, 0] : scene.at(units, chosen.row);
    for (let squad = 0; squad < SQUADS; squad++) {
        if (command && !(command.groups >> squad & 1))
            continue;
        const x = scene.toX(orders.x[player * SQUADS + squad]), y = scene.toY(orders.y[player * SQUADS + squad]);
        if (squad === own) {
            context.setLineDash([6, 5]);
            context.strokeStyle = '#fffc';
            context.lineWidth = 1.5;
            context.beginPath();
            context.moveTo(fromX, fromY);
            context.lineTo(x, y);
            context.stroke();
            context.setLineDash([]);
        }
        context.fillStyle = squad === own ? '#fff' : colourOf(player);
        context.strokeStyle = '#000a';
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(x, y - 16);
        context.lineTo(x + 11, y - 12);
        context.lineTo(x + 1.5, y - 8);
        context.lineTo(x + 1.5, y);
        context.closePath();
        context.fill();
        context.stroke();
    }
}

// Where a squad is in an army around a place: footmen in front, archers behind them, catapults last.
function placeIn(squad, x, y, dx, dy) {
    const across = [-1, 1, -3, 3, 0, -2, 2, 0][squad], along = [1, 1, 1, 1, 0, 0, 0, -1][squad];
    const block = Math.sqrt(about.options.units / about.players / SQUADS) + 1.5, half = across * block / 2;
    return [x - dy * half + dx * along * block, y + dx * half + dy * along * block];
}

// The rows of footmen who have struck since the state before: their weapons are ready at a later tick. Both states have the
// units in one order.
function* strikes({ count, entities, fields: { squad, ready } }, old) {
    for (let i = 0, k = 0; i < count; i++) {
        while (k < old.count && old.entities[2 * k] < entities[2 * i])
            k++;
        const isSame = k < old.count && old.entities[2 * k] === entities[2 * i] && old.entities[2 * k + 1] === entities[2 * i + 1];
        if (isSame && kindOf(squad[i]) === FOOTMAN && ready[i] !== old.fields.ready[k])
            yield i;
    }
}

// How a person commands an army (play.js).
const controls = {
    groups: ['Footmen', 'Footmen', 'Footmen', 'Footmen', 'Archers', 'Archers', 'Archers', 'Catapults'],
    kinds: [{ value: 2, key: 'q', name: 'Attack', help: 'go there and fight on the way' },
        { value: 1, key: 'w', name: 'Move', help: 'go there without a fight' },
        { value: 0, key: 'e', name: 'Hold', help: 'stay, and strike what is near', needsNoPlace: true }],
    hint: 'Your whole army is chosen: click or tap where it is to attack.',
    layer: 0,
    owner: 'player',
    group: 'squad',
    // The bytes of one input: an order for each group of the set, in formation towards the place.
    order(kind, groups, x, y, fromX, fromY) {
        const chosen = [...Array(SQUADS).keys()].filter(squad => groups >> squad & 1), edge = edgeOf(about);
        const bytes = new Uint8Array(1 + 6 * chosen.length), view = new DataView(bytes.buffer);
        const far = Math.hypot(x - fromX, y - fromY) || 1;
        const clamp = value => Math.round(64 * Math.min(edge - 0.5, Math.max(0.5, value)));
        bytes[0] = chosen.length;
        chosen.forEach((squad, i) => {
            const at = 1 + 6 * i;
            const [toX, toY] = chosen.length > 1 ? placeIn(squad, x, y, (x - fromX) / far, (y - fromY) / far) : [x, y];
            bytes[at] = kind;
            bytes[at + 1] = 1 << squad;
            view.setUint16(at + 2, kind === 0 ? 0 : clamp(toX), true);
            view.setUint16(at + 4, kind === 0 ? 0 : clamp(toY), true);
        });
        return bytes;
    },
};

export default {
    controls,
    begin(newAbout, side = 0) {
        turnTo(side);
        about = newAbout;
        effects = [];
        standing = null;
        headings = new Map();
        ground = undefined;
        seen = {};
    },
    layers(about) {
        const field = path => fieldAt(about, path);
        return [
            makeLayer(about, 'Position', { x: 0, y: 4 }, {
                player: field('Unit.player'), squad: field('Unit.squad'), points: field('Health.points'),
                target: field('Target.entity'), ready: field('Weapon.ready_tick') }),
            makeLayer(about, 'Shot', { x: field('Shot.x').offset, y: field('Shot.y').offset }, {
                aimX: field('Shot.aim_x'), aimY: field('Shot.aim_y'), ticks: field('Shot.ticks'), kind: field('Shot.kind') }),
        ];
    },
    bounds(about) {
        return { left: -1, top: -1, right: edgeOf(about) + 1, bottom: edgeOf(about) + 1 };
    },
    // Notes what happened since the frame before, if this one continues it.
    arrive(frame, side = 0) {
        turnTo(side);
        const [units, shots] = frame.layers, oldest = frame.tick - LIFE_S.scorch * about.tickRate;
        const add = (kind, { x, y }, size, player) => effects.push({ kind, tick: frame.tick - 1, x, y, size, player });
        effects = effects.filter(({ tick }) => tick < frame.tick - 1 && tick > oldest).slice(-3000);
        for (const gone of units.gone) {
            const size = RADIUS[kindOf(gone.squad)];
            add('stain', gone, size);
            add(gone.squad === SQUADS ? 'blast' : 'puff', gone, size);
        }
        for (const gone of shots.gone.filter(({ kind }) => kind === CATAPULT)) {
            add('blast', gone, 1.7);
            add('scorch', gone, 1.4);
        }
        const orders = frame.world.singletons.Standing;
        for (let at = 0; frame.continues && standing && at < orders.x.length; at++) {
            if (orders.x[at] !== standing.x[at] || orders.y[at] !== standing.y[at])
                add('ping', { x: orders.x[at], y: orders.y[at] }, 1, Math.floor(at / SQUADS));
        }
        standing = orders;
    },
    draw(scene) {
        turnTo(scene.side);
        const [units, shots] = scene.frame.layers;
        drawGround(scene);
        drawEffects(scene, true);
        drawUnits(scene, units);
        drawShots(scene, shots);
        drawEffects(scene, false);
        drawOrders(scene, units);
    },
    // Shots, strikes, what they hit, who falls, and a fanfare when a keep is razed.
    sounds({ layers: [units, shots], world }, before) {
        const at = ({ xy }, i) => ({ x: xy[2 * i], y: xy[2 * i + 1] }), razed = ({ singletons }) => singletons.Roster.keep_tick;
        const old = razed(before.world), hasFallen = razed(world).some((tick, player) => tick && !old[player]);
        return [
            ...hasFallen ? [{ tones: FANFARE, strength: 0.7 }] : [],
            ...units.gone.map(({ x, y, squad }) => ({ x, y, ...squad === SQUADS ? { tones: COLLAPSE } : { tones: FALL, strength: 0.4 } })),
            ...shots.gone.map(({ x, y, kind }) => ({ x, y, ...HITS[kind] })),
            ...shots.born.map(i => ({ ...at(shots, i), ...SHOTS[shots.fields.kind[i]] })),
            ...Array.from(strikes(units, before.layers[0]), i => ({ ...at(units, i), tones: SWORD, strength: 0.2 })),
        ];
    },
    // The score of each player.
    players({ world: { singletons: { Roster: { score, fallen, keep_tick } } } }, side = 0) {
        turnTo(side);
        const army = Math.floor(about.options.units / about.players);
        return Array.from({ length: about.players }, (_, player) => {
            const lost = fallen.slice(player * SQUADS, (player + 1) * SQUADS).reduce((sum, count) => sum + count, 0);
            return { colour: colourOf(player), name: `Player ${player + 1}`, score: score[player],
                note: keep_tick[player] ? 'keep razed' : `${army - lost} of ${army} units` };
        });
    },
};
