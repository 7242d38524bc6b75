import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { startTestLandscape } from '@chandlery/testing';

test('clients that come by the public address can verify the server', async () => {
  await using landscape = await startTestLandscape({ flags: ['--public-url', 'https://chandlery.example.org:8443'] });
  const { port, ca } = landscape;
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'chandlery.example.org' });
  await once(socket, 'secureConnect');
  assert.equal(socket.authorized, true, `${socket.authorizationError}`);
  socket.destroy();
});
