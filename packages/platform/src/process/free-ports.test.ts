import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { checkPortFree, checkPortsFree, listenError } from './free-ports.ts';

async function takenPort(host: string) {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

test('a taken port is named together with the flag that changes it', async () => {
  using taken = await takenPort('127.0.0.1');
  await assert.rejects(checkPortFree({ host: '127.0.0.1', port: taken.port, flag: '--port' }), {
    code: 'PortTaken',
    message: `port ${taken.port} on 127.0.0.1 is already in use`,
    hint: /--port/,
  });
});

test('a port taken on every address is taken on each', async () => {
  using taken = await takenPort('0.0.0.0');
  await assert.rejects(checkPortFree({ host: '127.0.0.1', port: taken.port, flag: '--port' }), { code: 'PortTaken' });
});

test('a free port is free, and still so after the check', async () => {
  const { port, [Symbol.dispose]: close } = await takenPort('127.0.0.1');
  close();
  await checkPortFree({ host: '127.0.0.1', port, flag: '--port' });
  await checkPortFree({ host: '127.0.0.1', port, flag: '--port' });
});

test('two servers cannot want the same port, but any number may want any port', async () => {
  const host = '127.0.0.1';
  const twice = [
    { host, port: 7443, flag: '--port' },
    { host, port: 7443, flag: '--xds-port' },
  ];
  await assert.rejects(checkPortsFree(twice), {
    code: 'PortTaken',
    message: 'port 7443 is wanted by both --port and --xds-port',
    hint: 'Choose another one with --port or --xds-port.',
  });
  await checkPortsFree(twice.map(wanted => ({ ...wanted, port: 0 })));
});

test('a host that is not this machine is named', async () => {
  await assert.rejects(checkPortFree({ host: '192.0.2.1', port: 7443, flag: '--port' }), {
    code: 'HostUnknown',
    message: /192\.0\.2\.1/,
  });
});

for (const [errno, code] of [
  ['EACCES', 'PortForbidden'],
  ['EINVAL', 'PortUnusable'],
] as const) {
  test(`${errno} becomes ${code}`, () => {
    const error = listenError(Object.assign(new Error('x'), { code: errno }), {
      host: '::1',
      port: 80,
      flag: '--port',
    });
    assert.equal(error.code, code);
  });
}
