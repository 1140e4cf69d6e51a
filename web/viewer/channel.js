// Opens the data channels of a session through the gateway that serves this page (docs/protocol.md, The data channel
// carrier). The session's worker has the other end of `port`: it gets 'open', messages and 'close', and sends messages and
// 'close'.
const TICKS = 0, UNSENT_BYTES_MAX = 65536, OPEN_MS = 10000;

async function connect(peer, channels) {
    await peer.setLocalDescription();
    if (peer.iceGatheringState !== 'complete')
        await new Promise(resolve => peer.addEventListener('icegatheringstatechange', () => peer.iceGatheringState === 'complete' && resolve()));
    const answer = await fetch('./channel', { method: 'POST', body: peer.localDescription.sdp, headers: { 'content-type': 'application/sdp' } });
    if (!answer.ok)
        throw new Error(await answer.text());
    await peer.setRemoteDescription({ type: 'answer', sdp: await answer.text() });
    await Promise.all(channels.map(channel => new Promise(resolve => {
        channel.onopen = resolve;
    })));
}

export function openChannel(port) {
    const peer = new RTCPeerConnection();
    const control = peer.createDataChannel('control'), ticks = peer.createDataChannel('ticks', { ordered: false, maxRetransmits: 0 });
    let isClosed = false;
    const close = () => {
        if (!isClosed)
            port.postMessage('close');
        isClosed = true;
        clearTimeout(timer);
        peer.close();
    };
    const timer = setTimeout(close, OPEN_MS);
    for (const channel of [control, ticks]) {
        channel.binaryType = 'arraybuffer';
        channel.onmessage = ({ data }) => port.postMessage(data, typeof data === 'string' ? [] : [data]);
        channel.onclose = close;
    }
    port.onmessage = ({ data }) => {
        if (data === 'close') {
            isClosed = true; // the worker knows
            close();
            return;
        }
        const isLossy = new Uint8Array(data)[0] === TICKS, channel = isLossy ? ticks : control;
        if (channel.readyState === 'open' && (!isLossy || ticks.bufferedAmount < UNSENT_BYTES_MAX))
            channel.send(data);
    };
    peer.onconnectionstatechange = () => ['failed', 'closed', 'disconnected'].includes(peer.connectionState) && close();
    connect(peer, [control, ticks]).then(() => {
        clearTimeout(timer);
        port.postMessage('open');
    }, close);
}
