// A worker (worker.js) as calls that answer with promises.
export class Remote {
    constructor() {
        this.worker = new Worker('./worker.js', { type: 'module' });
        this.waiting = new Map();
        this.count = 0;
        this.worker.onmessage = ({ data }) => {
            const { resolve, reject, progress } = this.waiting.get(data.id);
            if (data.error !== undefined)
                reject(new Error(data.error));
            else
                progress?.(data.answer);
            if (data.error !== undefined || data.isDone !== false) {
                this.waiting.delete(data.id);
                resolve(data.answer);
            }
        };
        this.worker.onerror = event => {
            event.preventDefault();
            for (const { reject } of this.waiting.values())
                reject(new Error(event.message || 'a part of this page cannot be fetched from its server: reload the page when the server answers'));
            this.waiting.clear();
        };
    }

    // Opens a recording the first time. Further calls promise the same.
    open(values) {
        return this.opened ??= this.ask('open', values);
    }

    // `progress` is called with each answer of a long work; the promise has the last.
    ask(run, values = {}, progress = null) {
        return new Promise((resolve, reject) => {
            const id = ++this.count;
            this.waiting.set(id, { resolve, reject, progress });
            this.worker.postMessage({ ...values, id, run });
        });
    }

    end() {
        this.worker.terminate();
        this.waiting.clear(); // their promises stay open: nobody waits for another recording
    }
}
