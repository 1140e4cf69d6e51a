// The map of a player who holds a state: while the left button or one finger is down, `aim` is the point of the canvas
// that it is at. Two fingers and the wheel zoom, the middle button moves the map.
import { MapView } from './map.js';

export class SteerMap extends MapView {
    constructor(canvas) {
        super(canvas, () => {});
        this.aim = null;
        canvas.parentElement.addEventListener('dblclick', event => event.stopPropagation(), true);
        canvas.addEventListener('contextmenu', event => event.preventDefault());
        canvas.addEventListener('pointercancel', () => this.aim = null);
    }

    press(event) {
        super.press(event);
        this.aim = this.pointers.size === 1 && event.button === 0 ? { x: event.offsetX, y: event.offsetY } : null;
    }

    drag(event) {
        if (this.aim && this.pointers.has(event.pointerId))
            this.aim = { x: event.offsetX, y: event.offsetY };
        else
            super.drag(event);
    }

    release(event) {
        this.pointers.delete(event.pointerId);
        this.aim = null;
    }
}
