// The art of a simulation: NAME.web.js beside its module. The build makes one of each simulation without art draw dots and marks.
import { plain } from './map.js';

export async function artOf(name) {
    try {
        return (await import(`./${encodeURIComponent(name)}.web.js`)).default ?? plain;
    } catch (error) {
        console.error(`${name}.web.js cannot be used, so ${name} is drawn as dots and marks: ${error.message}`);
        return plain;
    }
}
