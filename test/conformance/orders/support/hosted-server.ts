/** The program of a server that takes jobs. What it does with one is in the job: `{do: …}`. */
const jobServer = `
const http = require('node:http');
let count = 0;
const report = (req, body) => fetch(process.env.IVCAP_BASE_URL + '/results/' + req.headers['job-id'], {
  method: 'POST', headers: { 'content-type': 'text/plain' }, body });
const actions = {
  echo: (req, res, job) => {
    res.setHeader('content-type', 'application/json');
    const env = Object.keys(process.env).filter(name => name.startsWith('IVCAP_') || name === 'PORT').sort();
    res.end(JSON.stringify({ job, count: ++count, type: req.headers['content-type'], id: req.headers['job-id'],
      authorization: req.headers.authorization ?? null, env }));
  },
  slow: (req, res, job) => setTimeout(() => res.end('slow'), job.ms),
  crash: () => process.exit(3),
  reject: (req, res) => { res.statusCode = 400; res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ message: 'no such question' })); },
  fail: (req, res) => { res.statusCode = 500; res.end(JSON.stringify({ message: 'out of ideas' })); },
  report: async (req, res) => {
    res.statusCode = 204; res.setHeader('Ivcap-Self-Report-Result', 'true'); res.setHeader('Location', '/x'); res.end();
    const event = await fetch(process.env.IVCAP_BASE_URL + '/events/' + req.headers['job-id'], {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"step":1}' });
    const made = await fetch(process.env.IVCAP_STORAGE_URL, {
      method: 'POST', headers: { 'content-type': 'text/plain', 'x-name': 'product', 'job-id': req.headers['job-id'] }, body: 'made' });
    await report(req, 'reported ' + event.status + ' ' + made.status);
  },
  abandon: (req, res) => { res.statusCode = 202; res.end(); setTimeout(() => process.exit(4), 200); },
  later: (req, res) => { res.statusCode = 202; res.setHeader('Location', '/later/1'); res.setHeader('Retry-Later', '1'); res.end(); },
};
http.createServer((req, res) => {
  if (req.url === '/_healtz') return res.end('ok');
  if (req.url === '/later/1') return res.end('found later');
  const pieces = [];
  req.on('data', piece => pieces.push(piece)).on('end', () => {
    const text = Buffer.concat(pieces).toString();
    const job = text.startsWith('{') ? JSON.parse(text) : { do: 'echo', text };
    (actions[job.do] ?? actions.echo)(req, res, job);
  });
}).listen(process.env.PORT, '127.0.0.1');
`;

/** The program of a server behind the reverse proxy. */
const webServer = `
const http = require('node:http');
const { createHash } = require('node:crypto');
const server = http.createServer((req, res) => {
  const path = req.url.split('?')[0];
  if (path === '/_healtz') { res.statusCode = Date.now() - started < 1000 ? 503 : 200; return res.end(); }
  if (path === '/redirect') { res.writeHead(302, { location: '/elsewhere?x=1', 'set-cookie': 'a=b; Path=/; Domain=x.y; HttpOnly' }); return res.end(); }
  if (path === '/away') { res.writeHead(302, { location: 'https://example.com/x' }); return res.end(); }
  if (path === '/hang') return;
  if (path === '/die') process.exit(1);
  if (path === '/events') {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('data: one\\n\\n');
    return req.on('close', () => console.log('client left')) && setTimeout(() => res.end('data: two\\n\\n'), 300);
  }
  if (path === '/status/404') { res.statusCode = 404; return res.end('{"own":true}'); }
  const hash = createHash('sha256');
  let size = 0;
  req.on('data', piece => { hash.update(piece); size += piece.length; }).on('end', () => {
    res.setHeader('content-type', 'application/json');
    res.setHeader('connection', 'x-hop'); res.setHeader('x-hop', '1');
    res.end(JSON.stringify({ generation: process.argv[1] ?? '', method: req.method, url: req.url, headers: req.headers, size, digest: hash.digest('hex') }));
  });
});
const started = Date.now();
server.on('upgrade', (req, socket) => {
  if (req.url.startsWith('/refuse')) return socket.end('HTTP/1.1 418 No\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nno');
  const accept = createHash('sha1').update(req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.on('error', () => {}).on('data', data => socket.write(unmasked(data)));
});
const unmasked = frame => {
  const length = frame[1] & 127;
  const mask = frame.subarray(2, 6);
  const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]));
  return Buffer.concat([Buffer.from([frame[0], length]), text]);
};
server.listen(process.env.PORT, '127.0.0.1');
`;

const hosted = ($schema: string, source: string, fields: object): { readonly controller: object } => ({
  controller: { $schema, image: 'node:24', command: ['node', '-e', source], port: 8090, ...fields },
});

/** A service that takes jobs. `args` are further arguments of its program, which ignores them. */
export const restService = (fields: object = {}, ...args: readonly string[]): { readonly controller: object } =>
  hosted('urn:ivcap:schema.service.rest.1', jobServer, {
    command: ['node', '-e', jobServer, ...args],
    'ready-url': '/_healtz',
    ...fields,
  });

/** A service behind the reverse proxy. `generation` is in its responses. */
export const proxyService = (generation = '1', fields: object = {}): { readonly controller: object } =>
  hosted('urn:ivcap:schema:controller.service-proxy.1', webServer, {
    command: ['node', '-e', webServer, generation],
    'ready-url': '/_healtz',
    ...fields,
  });
