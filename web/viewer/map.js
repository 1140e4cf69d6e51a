// The picture of a state: a canvas with a camera that mouse, touch and keys move, and the drawing of any simulation.
// A simulation with art of its own (skirmish.web.js) gets the same `scene` and draws it itself.

export const PALETTE = ['#3d8bfd', '#f2545b', '#f5b82e', '#36b37e', '#a970f0', '#ff8a3d', '#2bbcd4', '#e86fb0',
    '#8fbf3f', '#7a86ff', '#c98b5a', '#4fd1b5', '#d6d05a', '#b54a6a', '#6fa8dc', '#9b9b9b'];
const DOT_RADIUS = 2.2; // pixels; smaller entities are drawn as squares of a few pixels, all in one image
const PIXELS_MAX = 4e6;
// As pixels: the palette, then the same darker and darker.
const words = [1, 0.72, 0.45].flatMap(light => PALETTE.map(colour => {
    const [red, green, blue] = [1, 3, 5].map(at => Math.round(parseInt(colour.slice(at, at + 2), 16) * light));
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}));

export const colourOf = value => PALETTE[(value >>> 0) % PALETTE.length];
export const mix = (from, to, share) => from + (to - from) * share;

// Many small entities at once: writes their pixels. `value(i)` chooses the colour; from 16 on a darker shade.
export function drawDots(scene, layer, radius, value) {
    const { canvas } = scene, ratio = Math.min(scene.ratio, Math.sqrt(PIXELS_MAX / (scene.width * scene.height)));
    const width = Math.ceil(scene.width * ratio), height = Math.ceil(scene.height * ratio);
    if (canvas.dots?.width !== width || canvas.dots.height !== height) {
        canvas.dots = new OffscreenCanvas(width, height);
        canvas.dotImage = new ImageData(width, height);
    }
    const pixels = new Uint32Array(canvas.dotImage.data.buffer);
    pixels.fill(0);
    const size = Math.max(1, Math.round(2 * radius * ratio)), { xy, was } = layer, share = scene.share;
    const scale = scene.scale * ratio, left = scene.left * ratio - size / 2, top = scene.top * ratio - size / 2;
    for (let i = 0; i < layer.count; i++) {
        const x = Math.round((was[2 * i] + (xy[2 * i] - was[2 * i]) * share) * scale + left);
        const y = Math.round((was[2 * i + 1] + (xy[2 * i + 1] - was[2 * i + 1]) * share) * scale + top);
        if (x < 0 || y < 0 || x + size > width || y + size > height)
            continue;
        const word = words[(value(i) >>> 0) % words.length];
        for (let row = y * width + x, end = row + size * width; row < end; row += width) {
            for (let at = row; at < row + size; at++)
                pixels[at] = word;
        }
    }
    const context = canvas.dots.getContext('2d');
    context.putImageData(canvas.dotImage, 0, 0);
    scene.context.drawImage(canvas.dots, 0, 0, scene.width, scene.height);
}

function drawMark(context, x, y, radius, heading) {
    context.beginPath();
    if (Number.isNaN(heading)) {
        context.arc(x, y, radius, 0, 2 * Math.PI);
    } else {
        const point = (angle, length) =>
            context.lineTo(x + Math.cos(heading + angle) * length, y + Math.sin(heading + angle) * length);
        point(0, 1.7 * radius);
        point(2.5, 1.2 * radius);
        point(Math.PI, 0.5 * radius);
        point(-2.5, 1.2 * radius);
        context.closePath();
    }
    context.fill();
    context.stroke();
}

function drawLayer(scene, layer) {
    const { context } = scene, { colour, radius, heading } = layer.fields;
    const value = i => colour && !Number.isNaN(colour[i]) ? colour[i] : layer.entities[2 * i] >>> 24;
    const usual = Math.max(layer.count < 300 ? 5 : layer.count < 3000 ? 2.5 : 1, Math.min(0.5 * scene.scale, 14));
    if (!radius && usual < DOT_RADIUS) {
        drawDots(scene, layer, usual, i => value(i) % PALETTE.length);
        return;
    }
    context.lineWidth = 1;
    context.strokeStyle = scene.isDark ? '#0008' : '#fffa';
    for (let i = 0; i < layer.count; i++) {
        const [x, y] = scene.at(layer, i);
        const size = radius ? Math.max(1, radius[i] * scene.scale) : usual;
        if (scene.isOutside(x, y, 2 * size))
            continue;
        context.fillStyle = colourOf(value(i));
        drawMark(context, x, y, size, heading ? heading[i] : NaN);
    }
}

// The lines of the coordinates, at a distance that fits the zoom.
function drawGrid(scene) {
    const { context, scale } = scene, step = 10 ** Math.ceil(Math.log10(60 / scale));
    context.strokeStyle = scene.isDark ? '#ffffff14' : '#00000012';
    context.lineWidth = 1;
    context.beginPath();
    for (let x = Math.ceil(-scene.left / scale / step) * step; x * scale + scene.left < scene.width; x += step) {
        context.moveTo(x * scale + scene.left, 0);
        context.lineTo(x * scale + scene.left, scene.height);
    }
    for (let y = Math.ceil(-scene.top / scale / step) * step; y * scale + scene.top < scene.height; y += step) {
        context.moveTo(0, y * scale + scene.top);
        context.lineTo(scene.width, y * scale + scene.top);
    }
    context.stroke();
}

// Art for simulations that have none.
export const plain = {
    draw(scene) {
        drawGrid(scene);
        for (const layer of scene.frame.layers)
            drawLayer(scene, layer);
    },
};

// A ring around each entity of a set of lanes and slots; one around those that stand too close to each other.
function drawRings(scene, marked) {
    const { context } = scene, radius = Math.max(5, 0.8 * scene.scale);
    context.setLineDash([]);
    context.strokeStyle = '#ff3b45';
    context.lineWidth = 1.5;
    const groups = new Map();
    for (const layer of marked.size ? scene.frame.layers : []) {
        for (let i = 0; i < layer.count; i++) {
            const [x, y] = marked.has(layer.entities[2 * i]) ? scene.at(layer, i) : [NaN, NaN];
            if (Number.isNaN(x) || scene.isOutside(x, y, radius))
                continue;
            const square = `${Math.floor(x / 2 / radius)},${Math.floor(y / 2 / radius)}`, group = groups.get(square);
            groups.set(square, group ? { x: group.x + x, y: group.y + y, count: group.count + 1 } : { x, y, count: 1 });
        }
    }
    context.beginPath();
    for (const { x, y, count } of groups.values()) {
        context.moveTo(x / count + radius, y / count);
        context.arc(x / count, y / count, radius, 0, 2 * Math.PI);
    }
    context.stroke();
}

export class MapView {
    // `picked` is called with the low and the high half of an entity's handle, or with nothing. Maps with one `camera`
    // show the same place. `side` tells art which of two matches it draws.
    constructor(canvas, picked, camera = {}, side = 0) {
        Object.assign(this, { canvas, picked, camera, side, marked: new Set() });
        this.pointers = new Map();
        this.size = [1, 1];
        this.reset();
        new ResizeObserver(([{ contentRect }]) => {
            this.size = [Math.max(1, contentRect.width), Math.max(1, contentRect.height)];
            if (this.isFitted)
                this.fit();
        }).observe(canvas);
        canvas.addEventListener('pointerdown', event => this.press(event));
        canvas.addEventListener('pointermove', event => this.drag(event));
        canvas.addEventListener('pointerup', event => this.release(event));
        canvas.addEventListener('pointercancel', event => this.pointers.delete(event.pointerId));
        canvas.addEventListener('wheel', event => {
            event.preventDefault();
            this.zoom(1.0015 ** -event.deltaY, event.offsetX, event.offsetY);
        }, { passive: false });
        canvas.addEventListener('dblclick', () => this.fit());
        canvas.addEventListener('contextrestored', () => { this.shown = null; });
    }

    // For another recording.
    reset() {
        this.bounds = null;
        this.isFitted = true;
        Object.assign(this, { x: 0, y: 0, scale: 1, frame: null, chosen: null });
        this.marked.clear();
    }

    // The art may give the bounds of the map; else they grow with the positions.
    cover(frame, fixed) {
        let { left, top, right, bottom } = fixed ?? this.bounds ?? { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
        for (const { xy } of fixed ? [] : frame.layers) {
            for (let i = 0; i < xy.length; i += 2) {
                left = Math.min(left, xy[i]);
                right = Math.max(right, xy[i]);
                top = Math.min(top, xy[i + 1]);
                bottom = Math.max(bottom, xy[i + 1]);
            }
        }
        if (left <= right)
            this.bounds = { left, top, right, bottom };
        if (this.isFitted)
            this.fit();
    }

    fit() {
        const [width, height] = this.size, { left, top, right, bottom } = this.bounds ?? { left: 0, top: 0, right: 1, bottom: 1 };
        this.isFitted = true;
        this.x = (left + right) / 2;
        this.y = (top + bottom) / 2;
        this.scale = 0.94 * Math.min(width / Math.max(1, right - left), height / Math.max(1, bottom - top));
    }

    zoom(factor, px = this.size[0] / 2, py = this.size[1] / 2) {
        const [width, height] = this.size, before = this.scale;
        this.isFitted = false;
        this.scale = Math.min(400, Math.max(0.02, this.scale * factor));
        this.x += (px - width / 2) * (1 / before - 1 / this.scale);
        this.y += (py - height / 2) * (1 / before - 1 / this.scale);
    }

    pan(dx, dy) {
        this.isFitted = false;
        this.x -= dx / this.scale;
        this.y -= dy / this.scale;
    }

    press(event) {
        this.canvas.setPointerCapture(event.pointerId);
        this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
        this.travel = this.pointers.size > 1 ? Infinity : 0;
    }

    drag(event) {
        const pointer = this.pointers.get(event.pointerId);
        if (!pointer)
            return;
        const dx = event.offsetX - pointer.x, dy = event.offsetY - pointer.y;
        this.travel += Math.abs(dx) + Math.abs(dy);
        const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
        if (other) {
            const far = (x, y) => Math.hypot(x - other.x, y - other.y) || 1;
            this.zoom(far(event.offsetX, event.offsetY) / far(pointer.x, pointer.y),
                (event.offsetX + other.x) / 2, (event.offsetY + other.y) / 2);
            this.pan(dx / 2, dy / 2);
        } else if (this.travel > 4) {
            this.pan(dx, dy);
        }
        Object.assign(pointer, { x: event.offsetX, y: event.offsetY });
    }

    release(event) {
        if (this.pointers.delete(event.pointerId) && this.travel <= 4 && this.frame)
            this.picked(this.nearest(event.offsetX, event.offsetY));
    }

    toWorld(px, py) {
        const { left, top } = this.scene(1);
        return [(px - left) / this.scale, (py - top) / this.scale];
    }

    // The entity under a point of the canvas.
    nearest(px, py) {
        const scene = this.scene(1);
        let best = 24 ** 2, found = null;
        for (const layer of this.frame.layers) {
            for (let i = 0; i < layer.count; i++) {
                const [x, y] = scene.at(layer, i), distance = (x - px) ** 2 + (y - py) ** 2;
                if (distance < best) {
                    best = distance;
                    found = { low: layer.entities[2 * i], high: layer.entities[2 * i + 1] };
                }
            }
        }
        return found;
    }

    // Where the chosen entity is: its layer and row.
    locate(chosen) {
        for (const layer of this.frame?.layers ?? []) {
            for (let i = 0; chosen && i < layer.count; i++) {
                if (layer.entities[2 * i] === chosen.low)
                    return { layer, row: i };
            }
        }
        return null;
    }

    // What art draws with. `share` is the part of the way from the frame before, 0 to 1.
    scene(share) {
        const [width, height] = this.size, { scale } = this;
        const left = width / 2 - this.x * scale, top = height / 2 - this.y * scale;
        return {
            canvas: this.canvas, side: this.side, width, height, scale, left, top, share, frame: this.frame, ratio: devicePixelRatio || 1,
            toX: x => x * scale + left,
            toY: y => y * scale + top,
            at: ({ was, xy }, i) => [mix(was[2 * i], xy[2 * i], share) * scale + left,
                mix(was[2 * i + 1], xy[2 * i + 1], share) * scale + top],
            isOutside: (x, y, radius) => x < -radius || y < -radius || x > width + radius || y > height + radius,
        };
    }

    // Draws what changed; a picture that would be the same as the one before stays.
    draw(art, share, { chosen, follows, isDark, time, command = null }) {
        const ratio = devicePixelRatio || 1, [width, height] = this.size;
        const across = Math.round(width * ratio), down = Math.round(height * ratio), isResized = this.canvas.width !== across || this.canvas.height !== down;
        if (isResized)
            Object.assign(this.canvas, { width: across, height: down });
        const shown = [art, this.frame, share, time, chosen?.low, follows, isDark, command, ratio, this.marked, this.x, this.y, this.scale];
        if (!isResized && shown.every((one, at) => one === this.shown?.[at]))
            return;
        this.shown = shown;
        const context = this.canvas.getContext('2d'), found = this.frame && this.locate(chosen);
        if (found && follows) {
            this.isFitted = false;
            this.x = mix(found.layer.was[2 * found.row], found.layer.xy[2 * found.row], share);
            this.y = mix(found.layer.was[2 * found.row + 1], found.layer.xy[2 * found.row + 1], share);
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        if (!this.frame)
            return;
        const scene = { ...this.scene(share), context, isDark, time, chosen: found, command };
        art.draw(scene);
        drawRings(scene, this.marked);
        if (found) {
            const [x, y] = scene.at(found.layer, found.row), radius = Math.max(9, 0.9 * scene.scale);
            context.setLineDash([]);
            for (const [colour, thick] of [['#000a', 4], ['#fff', 2]]) {
                context.strokeStyle = colour;
                context.lineWidth = thick;
                context.beginPath();
                context.arc(x, y, radius, 0, 2 * Math.PI);
                context.stroke();
            }
        }
    }
}

for (const key of ['x', 'y', 'scale', 'isFitted', 'bounds'])
    Object.defineProperty(MapView.prototype, key, {
        get() {
            return this.camera[key];
        },
        set(value) {
            this.camera[key] = value;
        },
    });
