// Two data channels as one socket. Gives the function that sends.
const TICKS = 0;
export const UNSENT_BYTES_MAX = 65536; // beyond it, packets that may get lost do (docs/protocol.md)

export function joinChannels({ control, ticks }, { opened, closed, heard }) {
    let count = 0;
    for (const channel of [control, ticks]) {
        channel.binaryType = 'arraybuffer';
        channel.onopen = () => ++count === 2 && opened();
        channel.onmessage = ({ data }) => heard(data);
        channel.onclose = closed;
    }
    return bytes => {
        const isLossy = new Uint8Array(bytes)[0] === TICKS, channel = isLossy ? ticks : control;
        if (channel.readyState === 'open' && (!isLossy || ticks.bufferedAmount < UNSENT_BYTES_MAX))
            channel.send(bytes);
    };
}
