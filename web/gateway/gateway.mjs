#!/usr/bin/env node
// Takes players with WebRTC data channels to a server's WebSocket (docs/protocol.md, The data channel carrier). It sees
// sealed packets only, holds no key and knows no match. docs/operations-web.md has how to run it.
//   node gateway.mjs --modules FOLDER [options]      --help lists them
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { parseArgs } from 'node:util';
import { Players } from './players.mjs';

const HELP = `usage: gateway.mjs [options]
Players in browsers come by WebRTC data channels instead of WebSocket: a lost packet then delays no other.

  --to HOST:PORT       the server's HTTP port (serve --http --web); default 127.0.0.1:9100
  --listen HOST:PORT   for pages and offers, behind a proxy with TLS; default 127.0.0.1:9200
  --udp HOST:PORT      for the data channels, reached by players; default 0.0.0.0:9200; port 0: one for each player
  --public HOST:PORT   where players reach --udp, when a router maps it (address in numbers)
  --token FILE         the first line is the token of the server's --http-proxy-token: only with it does the server
                       believe the addresses of players
  --origin URL         pages of URL may play, such as https://game.example; repeat it for more (default: pages of the
                       host that the browser asks)
  --proxy ADDRESS      a proxy before --listen that names its clients in X-Forwarded-For
  --peers N            players at a time; default 1000
  --peers-per-address N    those of one address; default 16
  --modules FOLDER     where scripts/fetch-gateway has put its two packages; default build/gateway
  --help               this text
`;
const OPTIONS = {
    to: '127.0.0.1:9100', listen: '127.0.0.1:9200', udp: '0.0.0.0:9200', public: '', token: '', proxy: '', peers: '1000',
    'peers-per-address': '16', modules: 'build/gateway',
};
const OFFER_BYTES_MAX = 8192, PATH = '/channel';

function fail(text) {
    console.error(`gateway: ${text}`);
    process.exit(2);
}

function readOptions() {
    try {
        const options = Object.fromEntries(Object.entries(OPTIONS).map(([name, value]) => [name, { type: 'string', default: value }]));
        const more = { help: { type: 'boolean' }, origin: { type: 'string', multiple: true, default: [] } };
        return parseArgs({ options: { ...options, ...more } }).values;
    } catch (error) {
        return fail(`${error.message}; see --help`);
    }
}

function endpoint(name, text) {
    const [, host, port] = /^(?:\[([0-9a-f:.]+)\]|[^:]+):(\d{1,5})$/i.exec(text) ?? fail(`--${name}: '${text}' is not HOST:PORT`);
    if (Number(port) > 65535)
        fail(`--${name}: ${port} is no port`);
    return { host: host ?? text.slice(0, text.lastIndexOf(':')), port: Number(port) };
}

function number(name, text) {
    return /^\d{1,6}$/.test(text) && Number(text) > 0 ? Number(text) : fail(`--${name}: '${text}' is no number from 1 on`);
}

/* The header that proves this gateway to the server; the server's --http-proxy-token has the same rules for the file. */
function readToken(path) {
    try {
        const [token] = readFileSync(path, 'latin1').split(/\r?\n/);
        return /^[\w.~+/=-]{16,256}$/.test(token) ? { authorization: `Bearer ${token}` } :
            fail(`--token ${path}: the first line is the token, 16 to 256 letters, digits and characters of -._~+/=`);
    } catch (error) {
        return fail(`--token: ${error.message}`);
    }
}

function load(folder) {
    const from = createRequire(`${resolve(folder)}/`);
    try {
        return { rtc: from('node-datachannel'), WebSocket: from('ws') };
    } catch (error) {
        return fail(`${folder}: ${error.message.split('\n')[0]}; scripts/fetch-gateway ${folder} fetches the packages`);
    }
}

const options = readOptions();
if (options.help) {
    process.stdout.write(HELP);
    process.exit();
}
const to = endpoint('to', options.to), listen = endpoint('listen', options.listen), udp = endpoint('udp', options.udp);
const proof = options.token ? readToken(options.token) : {};
const log = text => console.log(text);
const players = new Players({
    ...load(options.modules), udp, log, proof, url: `ws://${options.to}/play`,
    visible: options.public ? endpoint('public', options.public) : null,
    most: number('peers', options.peers), mostOfAddress: number('peers-per-address', options['peers-per-address']),
});

const isLoopback = /^(127\.|::1$|localhost$)/.test(listen.host);

/* The client's address: that of the socket, or what a trusted proxy says last; undefined: the connection is gone. */
function addressOf(request) {
    const peer = request.socket.remoteAddress?.replace(/^::ffff:/, '');
    const named = String(request.headers['x-forwarded-for'] ?? '').split(',').pop().trim();
    return options.proxy && peer === options.proxy ? named : peer;
}

// Whether a page of this gateway asks. Programs that are no browsers send no Origin.
const isOwnPage = ({ headers }) => Boolean(headers.origin) && headers.origin.replace(/^https?:\/\//, '') === headers.host;
const mayPlay = request => !request.headers.origin || isOwnPage(request) || options.origin.includes(request.headers.origin);

/* On a loopback address, the DNS server of another site may have moved its name here. */
function hasOwnHost({ headers }) {
    const host = String(headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    return !isLoopback || host === 'localhost' || net.isIP(host) > 0;
}

const answer = (response, status, type, text) => response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);

function takeOffer(request, response) {
    const address = addressOf(request);
    if (!net.isIP(address))
        return answer(response, 400, 'text/plain', 'the proxy names no client\n');
    if (!mayPlay(request))
        return answer(response, 403, 'text/plain', 'an offer of another site\n');
    let offer = '';
    request.setEncoding('utf8').on('data', part => {
        offer += part;
        if (offer.length > OFFER_BYTES_MAX)
            request.destroy();
    });
    return request.on('end', async () => {
        const { status, text } = await players.accept(offer, address);
        answer(response, status, status === 200 ? 'application/sdp' : 'text/plain', text);
    });
}

/* All but offers is the server's. It believes an address only from its own proxy, which this gateway is. Each request has a
   connection of its own (`agent: false`): the server may close one that is kept just when it is used again. */
const forwarded = request => ({ ...request.headers, host: options.to, 'x-forwarded-for': addressOf(request) });

function pass(request, response) {
    const { method, url: path } = request;
    const up = http.request({ ...to, agent: false, method, path, headers: forwarded(request) }, theirs => {
        response.writeHead(theirs.statusCode, theirs.headers);
        pipeline(theirs, response, () => {}); // an answer that breaks off breaks off here, too
    });
    up.on('error', () => response.headersSent ? response.destroy() : answer(response, 502, 'text/plain', 'the server does not answer\n'));
    response.on('close', () => up.destroy());
    request.pipe(up);
}

const head = (status, rows = ['connection: close']) => `HTTP/1.1 ${status}\r\n${rows.join('\r\n')}\r\n\r\n`;

/* A WebSocket, of a browser whose data channel fails. Bytes pass only when the server has opened it: else a client could send
   a further request, with an address of its own choice. */
function passSocket(request, socket, first) {
    socket.on('error', () => socket.destroy());
    const isPlay = request.method === 'GET' && request.url === '/play' && /^websocket$/i.test(request.headers.upgrade);
    if (!isPlay || !net.isIP(addressOf(request)) || !hasOwnHost(request))
        return socket.end(head('400 Bad Request'));
    const own = isOwnPage(request) ? { origin: `http://${options.to}` } : {}; // the server compares Origin and Host
    const up = http.request({ ...to, path: request.url, headers: { ...forwarded(request), ...own, ...proof } });
    up.on('upgrade', (theirs, theirSocket, theirFirst) => {
        const { rawHeaders } = theirs, rows = rawHeaders.filter((_, i) => i % 2 === 0).map((name, i) => `${name}: ${rawHeaders[2 * i + 1]}`);
        socket.write(head('101 Switching Protocols', rows));
        socket.write(theirFirst);
        theirSocket.write(first);
        theirSocket.on('error', () => {}).on('close', () => socket.destroy());
        socket.on('close', () => theirSocket.destroy());
        socket.pipe(theirSocket).pipe(socket);
    });
    up.on('response', theirs => (theirs.resume(), socket.end(head(`${theirs.statusCode} ${theirs.statusMessage}`))));
    up.on('error', () => socket.end(head('502 Bad Gateway')));
    socket.on('close', () => up.destroy());
    return up.end();
}

function handle(request, response) {
    if (!hasOwnHost(request))
        answer(response, 403, 'text/plain', 'ask for localhost or an address in numbers; a proxy has to send one of them as Host\n');
    else if (request.method === 'POST' && request.url === PATH)
        takeOffer(request, response);
    else if (/^[!-~]+$/.test(request.url) && addressOf(request) !== undefined)
        pass(request, response);
    else
        request.destroy();
}

const server = http.createServer({ headersTimeout: 5000, requestTimeout: 10000, maxHeaderSize: 8192 }, handle);
server.on('upgrade', passSocket);
server.on('error', error => fail(`--listen ${options.listen}: ${error.message}`));
server.listen(listen.port, listen.host, () => log(`listening ${listen.host}:${server.address().port} udp=${udp.host}:${udp.port} to=${options.to}`));
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
        players.end();
        process.exit();
    });
}
