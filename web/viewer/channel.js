// Opens the data channels of a session through the gateway that serves this page (docs/protocol.md, The data channel
// carrier). The session's worker has the other end of `port`. It gets the channels themselves, so that a page that is busy
// with drawing delays no packet; in a browser whose channels stay in the page, it gets 'open', messages and 'close', and
// sends messages. Either way both may say 'close'.
import { joinChannels } from './channels.js';

const OPEN_MS = 10000;

async function connect(peer) {
    await peer.setLocalDescription();
    if (peer.iceGatheringState !== 'complete')
        await new Promise(resolve => peer.addEventListener('icegatheringstatechange', () => peer.iceGatheringState === 'complete' && resolve()));
    const answer = await fetch('./channel', { method: 'POST', body: peer.localDescription.sdp, headers: { 'content-type': 'application/sdp' } });
    if (!answer.ok)
        throw new Error(await answer.text());
    await peer.setRemoteDescription({ type: 'answer', sdp: await answer.text() });
}

export function openChannel(port) {
    const peer = new RTCPeerConnection();
    const control = peer.createDataChannel('control'), ticks = peer.createDataChannel('ticks', { ordered: false, maxRetransmits: 0 });
    let isClosed = false, send = null;
    const close = () => {
        if (!isClosed)
            port.postMessage('close');
        isClosed = true;
        clearTimeout(timer);
        peer.close();
    };
    const timer = setTimeout(close, OPEN_MS);
    port.onmessage = ({ data }) => {
        if (data === 'open')
            clearTimeout(timer);
        else if (data === 'close') {
            isClosed = true; // the worker knows
            close();
        } else {
            send(data);
        }
    };
    try {
        port.postMessage({ control, ticks }, [control, ticks]);
    } catch {
        send = joinChannels({ control, ticks }, {
            opened() {
                clearTimeout(timer);
                port.postMessage('open');
            },
            closed: close,
            heard: data => port.postMessage(data, typeof data === 'string' ? [] : [data]),
        });
    }
    peer.onconnectionstatechange = () => ['failed', 'closed', 'disconnected'].includes(peer.connectionState) && close();
    connect(peer).catch(close);
}
