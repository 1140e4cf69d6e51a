// The contrast of words on what is behind them, by the formula of WCAG 2: [ratio, element] of each element that shows words itself.
// A ground with holes lies on the one below it; what is behind an element that covers others, such as the map, is the page's stage.
export const contrasts = (page, selector) => page.evaluate(wanted => {
    const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const paint = colours => {
        context.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
        }
        return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    };
    const light = parts => parts.map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const shows = element => element.checkVisibility({ visibilityProperty: true }) && !element.disabled
        && ([...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()) || element.matches('input, select'));
    return [...document.querySelectorAll(wanted)].filter(shows).map(element => {
        const line = [];
        for (let each = element; each; each = each.parentElement)
            line.unshift(getComputedStyle(each).backgroundColor);
        const ground = light(paint(line)), words = light(paint([...line, getComputedStyle(element).color]));
        const name = `${element.localName}${element.id && `#${element.id}`} in ${element.closest('[id]')?.id}: ${element.textContent.trim().slice(0, 30)}`;
        return [(Math.max(ground, words) + 0.05) / (Math.min(ground, words) + 0.05), name];
    });
}, selector);

// The words that are too faint in one of the two schemes; `least` elements have to be there.
export async function faintWords(page, selector, least) {
    const faint = [];
    for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        const found = await contrasts(page, selector);
        if (found.length < least)
            faint.push(`${colorScheme}: only ${found.length} elements`);
        faint.push(...found.filter(([ratio]) => ratio < 4.5).map(([ratio, name]) => `${colorScheme}: ${ratio.toFixed(2)} ${name}`));
    }
    return faint;
}
