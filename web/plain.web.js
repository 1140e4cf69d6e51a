// In the place of a simulation's art: dots and marks.
export { plain as default } from './map.js';
