// How the page of lockstep draws the walkers (docs/web.md). The page has it as walkers.web.js, beside the modules that it imports.
import { fieldAt, makeLayer } from './fields.js';
import { colourOf } from './map.js';

const WIDTH = 32, HEIGHT = 18, RADIUS = 0.5, SHOT = 0.15, GUN = 0.9; // in steps, as walkers.h has them
const TURN = 2 * Math.PI;
const SHOOT = [{ wave: 'triangle', from: 700, to: 220, seconds: 0.12, level: 0.5 }];
const HIT = [{ wave: 'sine', from: 180, to: 60, seconds: 0.3 }, { wave: 'noise', from: 900, to: 200, seconds: 0.2, level: 0.6 }];
const seats = []; // of each of two matches

function drawWalker(context, x, y, scale, aim, colour) {
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 0.25 * scale;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + Math.cos(aim) * GUN * scale, y + Math.sin(aim) * GUN * scale);
    context.stroke();
    context.beginPath();
    context.arc(x, y, RADIUS * scale, 0, TURN);
    context.fill();
}

export default {
    begin({ players }, side = 0) {
        seats[side] = players;
    },
    layers(about) {
        const field = path => fieldAt(about, path), x = field('place.x').offset, y = field('place.y').offset;
        return [makeLayer(about, 'place', { x, y }, { player: field('walker.player'), aim: field('walker.aim'), score: field('walker.score'),
            isHere: field('walker.is_here'), shooter: field('shot.player') })];
    },
    bounds: () => ({ left: 0, top: 0, right: WIDTH, bottom: HEIGHT }),
    draw(scene) {
        const { context, scale, toX, toY, isDark } = scene, [all] = scene.frame.layers, { player, aim, isHere, shooter } = all.fields;
        context.fillStyle = isDark ? '#22303c' : '#dfe9d6';
        context.fillRect(toX(0), toY(0), WIDTH * scale, HEIGHT * scale);
        for (let i = 0; i < all.count; i++) {
            const [x, y] = scene.at(all, i);
            if (Number.isNaN(player[i])) {
                context.fillStyle = colourOf(shooter[i]);
                context.beginPath();
                context.arc(x, y, SHOT * scale, 0, TURN);
                context.fill();
            } else {
                context.globalAlpha = isHere[i] ? 1 : 0.3;
                drawWalker(context, x, y, scale, aim[i], colourOf(player[i]));
                context.globalAlpha = 1;
            }
        }
    },
    // A new entity with a shooter is a shot; a walker with a higher score has hit.
    sounds({ layers: [all] }, { layers: [before] }) {
        const { player, score, shooter } = all.fields, old = seat => before.fields.score[before.fields.player.indexOf(seat)];
        const at = i => ({ x: all.xy[2 * i], y: all.xy[2 * i + 1] });
        const shots = all.born.filter(i => !Number.isNaN(shooter[i])).map(i => ({ ...at(i), tones: SHOOT, strength: 0.4 }));
        const hits = [...player.keys()].filter(i => score[i] > old(player[i])).map(i => ({ ...at(i), tones: HIT, strength: 0.8 }));
        return [...shots, ...hits];
    },
    players({ layers: [{ fields: { player, score } }] }, side = 0) {
        return Array.from({ length: seats[side] }, (_, seat) =>
            ({ colour: colourOf(seat), name: `Player ${seat + 1}`, score: score[player.indexOf(seat)] ?? '–', note: 'hits' }));
    },
};
