// What this browser keeps of a page: reads a value, writes it, or removes it with null. A browser may forbid a page to store
// anything; then nothing is kept.
export function stored(storage, name, value) {
    try {
        if (value === null)
            window[storage].removeItem(name);
        else if (value !== undefined)
            window[storage].setItem(name, value);
        return window[storage].getItem(name);
    } catch {
        return null;
    }
}
