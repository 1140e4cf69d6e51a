// The players of a match and their scores, as a list on the page.
import { make } from './inspector.js';

export function showPlayers(panel, players) {
    if (panel.children.length !== players.length)
        panel.replaceChildren(...players.map(({ colour }) => {
            const item = make('li', {}, make('span'), ' ', make('b'), ' ', make('small'));
            item.style.borderColor = colour;
            return item;
        }));
    players.forEach((player, at) => {
        const [title, score, note] = panel.children[at].children;
        title.textContent = player.name;
        score.textContent = player.score;
        note.textContent = player.note;
    });
}
