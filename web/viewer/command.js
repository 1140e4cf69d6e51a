// The map of a player: a click or a tap on own units chooses their group, elsewhere it gives an order. With a mouse, a
// drag chooses all groups in a box and the middle button moves the map; a finger moves it, two zoom.
import { MapView } from './map.js';

const NEAR_PIXELS = 18, DRAG_PIXELS = 6;

export class CommandMap extends MapView {
    // `tapped` and `ordered` get a point of the canvas, `boxed` a rectangle; all but `ordered` also whether the shift key is held.
    constructor(canvas, box, { tapped, boxed, ordered }) {
        super(canvas, () => {});
        Object.assign(this, { box, tapped, boxed, ordered, from: null });
        canvas.parentElement.addEventListener('dblclick', event => event.stopPropagation(), true);
        canvas.addEventListener('contextmenu', event => event.preventDefault());
        canvas.addEventListener('pointercancel', () => {
            this.box.hidden = true;
            this.from = null;
        });
    }

    press(event) {
        const isMouse = event.pointerType === 'mouse';
        if (isMouse && event.button === 2) {
            this.ordered(event.offsetX, event.offsetY);
            return;
        }
        super.press(event);
        this.from = isMouse && event.button === 0 ? { x: event.offsetX, y: event.offsetY } : null;
        this.isTap = event.button === 0;
    }

    drag(event) {
        if (!this.from || !this.pointers.size) {
            super.drag(event);
            return;
        }
        const { x, y } = this.from, [left, right] = [Math.min(x, event.offsetX), Math.max(x, event.offsetX)];
        const [top, bottom] = [Math.min(y, event.offsetY), Math.max(y, event.offsetY)];
        const isBox = right - left > DRAG_PIXELS || bottom - top > DRAG_PIXELS || !this.box.hidden;
        this.box.hidden = !isBox;
        this.area = { left, top, right, bottom };
        Object.assign(this.box.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    }

    release(event) {
        if (!this.pointers.delete(event.pointerId) || !this.frame)
            return;
        const isBox = !this.box.hidden;
        this.box.hidden = true;
        if (isBox)
            this.boxed(this.area, event.shiftKey);
        else if (this.isTap && (this.from || this.travel <= DRAG_PIXELS))
            this.tapped(event.offsetX, event.offsetY, event.shiftKey);
        this.from = null;
    }

    // The row of a layer that is nearest to a point; -1: none is near.
    near(layer, px, py, accepts) {
        const scene = this.scene(1);
        let best = NEAR_PIXELS ** 2, found = -1;
        for (let i = 0; i < layer.count; i++) {
            const [x, y] = scene.at(layer, i), distance = (x - px) ** 2 + (y - py) ** 2;
            if (distance < best && accepts(i))
                [best, found] = [distance, i];
        }
        return found;
    }

    within(layer, { left, top, right, bottom }, accepts) {
        const scene = this.scene(1), found = [];
        for (let i = 0; i < layer.count; i++) {
            const [x, y] = scene.at(layer, i);
            if (x >= left && x <= right && y >= top && y <= bottom && accepts(i))
                found.push(i);
        }
        return found;
    }
}
