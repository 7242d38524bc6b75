import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { type LogFields, silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { createLandscapeAuthenticator } from './authentication.ts';

test('an OpenID provider that cannot be reached at the start is named in the log', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => closed.once('listening', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise(resolve => closed.close(resolve));
  const issuer = `http://127.0.0.1:${port}`;
  const warnings: [string, LogFields?][] = [];
  createLandscapeAuthenticator({
    ...({} as Parameters<typeof createLandscapeAuthenticator>[0]),
    oidc: [{ issuer, audiences: ['chandlery'] }],
    logger: { ...silentLogger, warn: (...line) => void warnings.push(line) },
  });
  await eventually(() => warnings.length > 0, { timeoutMs: 20_000, what: 'a warning' });
  assert.deepEqual(
    warnings.map(([message, fields]) => [message, fields?.['issuer']]),
    [['its users are rejected until the OpenID provider can be reached', issuer]],
  );
});
