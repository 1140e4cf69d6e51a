// The art of simulations that have some, by their names; others are drawn as dots and marks.
import colony from './colony.js';
import { plain } from './map.js';
import regatta from './regatta.js';
import skirmish from './skirmish.js';

const ART = { colony, regatta, skirmish };

export const artOf = name => ART[name] ?? plain;
