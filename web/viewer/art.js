// The art of a simulation: NAME.web.js beside its module. The build makes one of each simulation without art draw dots and marks.
import { plain } from './map.js';

// Art that fails once draws no more. The canvas loses what the art has set in it.
function guarded(art, failed) {
    let painter = art;
    return Object.create(art, { draw: { value(scene) {
        try {
            painter.draw(scene);
        } catch (error) {
            if (painter === plain)
                throw error;
            painter = plain;
            scene.canvas.width = 0;
            failed(error);
        }
    } } });
}

// `failed` is called with an error when the art cannot be used or fails to draw; dots and marks are drawn then.
export async function artOf(name, failed) {
    const fail = ({ message }) => failed(new Error(`${name} is drawn as dots and marks, because ${name}.web.js fails: ${message}`));
    try {
        const art = (await import(`./${encodeURIComponent(name)}.web.js`)).default ?? plain;
        return art === plain ? plain : guarded(art, fail);
    } catch (error) {
        fail(error);
        return plain;
    }
}
