// The players of a gateway: a peer connection with two data channels each, and a WebSocket to the server.
const CONNECT_MS = 10000;             // until both channels are open
const MESSAGE_BYTES_MAX = 1200, TICKS = 0;
const UNSENT_BYTES_MAX = 65536;       // beyond it, packets that may get lost do
const CONTROL_BYTES_MAX = 4 * UNSENT_BYTES_MAX;
const GATHER_MS = 2000;
const CLOSE_MS = 1000;                // for the server's last word, which says why

class Player {
    constructor(players, peer, address) {
        Object.assign(this, { players, peer, address, channels: {}, socket: null, isOver: false, waiting: [] });
        this.timer = setTimeout(() => this.end('no data channels within 10 s'), CONNECT_MS);
        peer.onDataChannel(channel => this.take(channel));
        peer.onStateChange(state => ['disconnected', 'failed', 'closed'].includes(state) && this.end(`the connection is ${state}`));
    }

    take(channel) {
        const label = channel.getLabel();
        if (!['control', 'ticks'].includes(label) || this.channels[label]) {
            this.end('a data channel of another name');
            return;
        }
        this.channels[label] = channel;
        channel.onMessage(message => this.guard(() => this.up(message)));
        channel.onClosed(() => this.end('a data channel is closed'));
        if (Object.keys(this.channels).length === 2)
            this.guard(() => this.connect());
    }

    // The library throws when it is told to use what the player has just closed.
    guard(work) {
        try {
            work();
        } catch (error) {
            this.end(error.message);
        }
    }

    connect() {
        const { players } = this, address = this.peer.getSelectedCandidatePair()?.remote.address;
        clearTimeout(this.timer);
        if (!address || !players.move(this, address))
            return;
        const socket = this.socket = new players.WebSocket(players.url, 'lockstep.3', {
            headers: { 'x-forwarded-for': address, ...players.proof }, perMessageDeflate: false, handshakeTimeout: CONNECT_MS, maxPayload: MESSAGE_BYTES_MAX,
        });
        socket.on('open', () => this.waiting.splice(0).forEach(message => this.up(message)));
        socket.on('message', message => this.guard(() => this.down(message)));
        socket.on('error', error => this.end(`the server: ${error.message}`));
        socket.on('close', () => this.end('the server has closed the WebSocket'));
    }

    // A message of the player.
    up(message) {
        const { socket } = this;
        if (typeof message === 'string' || message.length < 1 || message.length > MESSAGE_BYTES_MAX)
            this.end('a message of another form');
        else if (socket?.readyState === 1 && (message[0] !== TICKS || socket.bufferedAmount < UNSENT_BYTES_MAX))
            socket.send(message);
        else if (socket?.readyState !== 1 && this.waiting.length < 8)
            this.waiting.push(message);
    }

    // From the server to the player. Ticks may be dropped, control messages may not: a reader that is too slow for them is cut off.
    down(message) {
        const isLossy = message[0] === TICKS, channel = this.channels[isLossy ? 'ticks' : 'control'];
        const unsent = channel.isOpen() ? channel.bufferedAmount() : Infinity;
        if (unsent < (isLossy ? UNSENT_BYTES_MAX : CONTROL_BYTES_MAX))
            channel.sendMessageBinary(message);
        else if (!isLossy)
            this.end('the player reads too slowly');
    }

    end(why) {
        if (this.isOver)
            return;
        this.isOver = true;
        clearTimeout(this.timer);
        this.socket?.terminate();
        this.players.leave(this, why);
        // Not within one of its own callbacks.
        setTimeout(() => this.peer.close(), this.socket ? CLOSE_MS : 0);
    }
}

export class Players {
    constructor(config) {
        Object.assign(this, config, { all: new Set(), of: new Map() });
    }

    count(address, change) {
        const count = (this.of.get(address) ?? 0) + change;
        if (count > 0)
            this.of.set(address, count);
        else
            this.of.delete(address);
    }

    isFull(address) {
        return (this.of.get(address) ?? 0) >= this.mostOfAddress;
    }

    // Takes an offer (SDP). Gives { status, text } with the answer, whose candidates are in it.
    async accept(offer, address) {
        if (this.all.size >= this.most)
            return { status: 503, text: 'no room: the gateway is full\n' };
        if (this.isFull(address))
            return { status: 503, text: 'no room: this address has as many players as it may\n' };
        let peer = null;
        try {
            peer = new this.rtc.PeerConnection('player', {
                iceServers: [], bindAddress: this.udp.host, enableIceUdpMux: this.udp.port > 0, portRangeBegin: this.udp.port, portRangeEnd: this.udp.port,
                maxMessageSize: MESSAGE_BYTES_MAX,
            });
            const player = new Player(this, peer, address);
            this.all.add(player);
            this.count(address, 1);
            const gathered = new Promise(resolve => {
                peer.onGatheringStateChange(state => state === 'complete' && resolve(true));
                setTimeout(resolve, GATHER_MS, false);
            });
            peer.setRemoteDescription(offer, 'offer');
            if (!await gathered)
                throw new Error('no candidates');
            return { status: 200, text: this.show(peer.localDescription().sdp) };
        } catch (error) {
            [...this.all].find(player => player.peer === peer)?.end(error.message);
            return { status: 400, text: 'no offer of a data channel\n' };
        }
    }

    // The answer (SDP). With --public it has one candidate only: the address at which the router forwards the port.
    show(sdp) {
        if (!this.visible)
            return sdp;
        const { host, port } = this.visible, lines = sdp.split('\r\n');
        const at = lines.findIndex(line => line.startsWith('a=candidate:'));
        const others = lines.filter(line => !line.startsWith('a=candidate:'));
        others.splice(at, 0, `a=candidate:1 1 UDP 2130706431 ${host} ${port} typ host`);
        return others.join('\r\n');
    }

    // The address of the data channels may be another one than that of the offer. False: the player has ended.
    move(player, address) {
        this.count(player.address, -1);
        const isFull = this.isFull(address);
        player.address = address;
        this.count(address, 1);
        if (isFull)
            player.end('this address has as many players as it may');
        else
            this.log(`enter address=${address} players=${this.all.size}`);
        return !isFull;
    }

    leave(player, why) {
        this.all.delete(player);
        this.count(player.address, -1);
        this.log(`leave address=${player.address} players=${this.all.size} reason="${why}"`);
    }

    end() {
        for (const player of this.all)
            player.end('the gateway ends');
        try {
            this.rtc.cleanup();
        } catch (error) { // its threads have not ended in time; the process ends now
            this.log(`late reason="${error.message}"`);
        }
    }
}
