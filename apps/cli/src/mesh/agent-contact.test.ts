import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort } from '@chandlery/testing';
import { askThrough, beginAgent, startAgent } from './test-agent.ts';
import { startTestControlPlane } from './test-control-plane.ts';
import { away, refused, startTestPlace } from './test-place.ts';
import { createTestSigner } from './test-signer.ts';

/** Whether it becomes ready within a short time. */
const isReadySoon = (ready: Promise<unknown>): Promise<boolean> =>
  Promise.race([ready.then(() => true), sleep(300, false)]);

describe('an agent is ready', () => {
  test('when the landscape has certified it and the control plane has shaken hands, and tells nothing before', async () => {
    await using place = await startTestPlace();
    await using agent = beginAgent(place.mesh);
    const { xds } = await agent.ready;
    assert.equal(xds.port, place.controlPlane.port);
    assert.deepEqual([place.controlPlane.guests, agent.lines], [1, []]);
  });

  test('not before the landscape answers; what it waits for is told once for each reason', async () => {
    await using place = await startTestPlace();
    place.answer = away;
    await using agent = beginAgent(place.mesh);
    await eventually(() => place.mesh.requests.length >= 3);
    assert.deepEqual(agent.lines, ['Waiting for the landscape: away.']);
    place.answer = { status: 502, body: 'nobody there' };
    await eventually(() => agent.lines.length === 2);
    assert.match(agent.lines[1] ?? '', /^Waiting for the landscape: the landscape answered 502: "nobody there"\.$/);
    assert.equal(await isReadySoon(agent.ready), false);
    place.answer = undefined;
    await agent.ready;
    assert.equal(agent.lines.length, 2);
  });

  test('not before somebody listens where the landscape is said to be', async () => {
    await using place = await startTestPlace();
    const { folder } = place.mesh;
    await using agent = beginAgent({ url: `http://127.0.0.1:${await freePort()}`, folder });
    await eventually(() => agent.lines.length > 0);
    assert.match(
      agent.lines.join(),
      /^Waiting for the landscape: cannot talk to http:\/\/127\.0\.0\.1:\d+: no server listens there\. Next: Start a landscape with /,
    );
    assert.equal(await isReadySoon(agent.ready), false);
  });

  test('not before the control plane is there', async () => {
    await using place = await startTestPlace();
    await place.controlPlane.stop();
    await using agent = beginAgent(place.mesh);
    await eventually(() => agent.lines.length > 0);
    assert.equal(await isReadySoon(agent.ready), false);
    const where = `127.0.0.1:${place.controlPlane.port}`;
    assert.match(
      agent.lines.join(),
      new RegExp(
        `^Waiting for the control plane: cannot talk to ${where}: no server listens there\\. Next: .*--xds-address`,
      ),
    );
    await place.controlPlane.start();
    await agent.ready;
    assert.equal(agent.lines.length, 1);
  });

  test('not for somebody else who listens where the control plane should be', async () => {
    await using place = await startTestPlace();
    await using stranger = await startTestControlPlane(createTestSigner());
    const xds = () => ({ host: '127.0.0.1', port: stranger.port });
    await using agent = beginAgent(place.mesh, { xds });
    await eventually(() => agent.lines.length > 0);
    assert.match(agent.lines.join(), /^No connection to the control plane: cannot trust 127\.0\.0\.1:\d+: .+ Next: /);
    assert.equal(await isReadySoon(agent.ready), false);
  });

  test('on the port that it was told, whatever the landscape names; an older one names none', async () => {
    await using place = await startTestPlace();
    delete place.signer.xdsPort;
    const { port } = place.controlPlane;
    const told: (number | undefined)[] = [];
    const xds = (named: number | undefined) => {
      told.push(named);
      return { host: '127.0.0.1', port };
    };
    await using agent = beginAgent(place.mesh, { xds });
    assert.equal((await agent.ready).xds.port, port);
    assert.ok(told.every(named => named === undefined));
  });
});

describe('an agent that is refused', () => {
  test('its first certificate says why and ends', async () => {
    await using place = await startTestPlace();
    place.answer = refused;
    const why = { code: 'Forbidden', message: 'not you', hint: /--token-file/ };
    await assert.rejects(startAgent(place.mesh), why);
  });

  for (const { status, code, hint } of [
    { status: 401, code: 'Unauthorized', hint: /--token-file/ },
    { status: 404, code: 'NotFound', hint: /--cluster/ },
  ])
    test(`with ${status} is told what to do`, async () => {
      await using place = await startTestPlace();
      place.answer = { status, body: { code, message: 'no' } };
      await assert.rejects(startAgent(place.mesh), { code, message: 'no', hint });
    });
});

describe('an agent with a certificate of an earlier run', () => {
  test('carries on with that while the landscape is away, and is not ready', async () => {
    await using place = await startTestPlace();
    await (await startAgent(place.mesh))[Symbol.asyncDispose]();
    place.answer = away;
    const port = await freePort();
    const xds = () => ({ host: '127.0.0.1', port: place.controlPlane.port });
    await using agent = beginAgent(place.mesh, { listen: { host: '127.0.0.1', port }, xds });
    assert.match(await eventually(() => askThrough(port)), /\/sa\/web /);
    assert.equal(await isReadySoon(agent.ready), false);
  });

  test('carries on with that while it is refused, says what to do, and is not ready', async () => {
    await using place = await startTestPlace();
    await (await startAgent(place.mesh))[Symbol.asyncDispose]();
    place.answer = refused;
    const port = await freePort();
    const xds = () => ({ host: '127.0.0.1', port: place.controlPlane.port });
    await using agent = beginAgent(place.mesh, { listen: { host: '127.0.0.1', port }, xds });
    assert.match(await eventually(() => askThrough(port)), /\/sa\/web /);
    await eventually(() => agent.lines.length > 0);
    assert.match(agent.lines.join(), /^Cannot keep the certificate fresh: not you\. Next: .*--token-file/);
    assert.equal(await isReadySoon(agent.ready), false);
    place.answer = undefined;
    await agent.ready;
  });
});

describe('an agent that is ready', () => {
  test('tells when it loses the landscape and when it regains it, once each', async () => {
    await using place = await startTestPlace();
    const { mesh } = place;
    await using agent = await startAgent(mesh, { renewEveryMs: 10 });
    place.answer = away;
    const asked = mesh.requests.length;
    await eventually(() => mesh.requests.length > asked + 3);
    place.answer = refused;
    await eventually(() => agent.lines.length > 1);
    place.answer = undefined;
    await eventually(() => agent.lines.length > 2);
    assert.equal(agent.lines[0], 'Lost contact with the landscape: away.');
    assert.match(agent.lines[1] ?? '', /^Cannot keep the certificate fresh: not you\. Next: /);
    assert.equal(agent.lines[2], 'The certificate is kept fresh again.');
    place.answer = away;
    await eventually(() => agent.lines.length > 3);
    place.answer = undefined;
    await eventually(() => agent.lines.length > 4);
    assert.deepEqual(agent.lines.slice(3), [
      'Lost contact with the landscape: away.',
      'Regained contact with the landscape.',
    ]);
  });

  test('tells also what it finds out when it asks for the roots', async () => {
    await using place = await startTestPlace();
    await using agent = await startAgent(place.mesh, { trustPollMs: 10 });
    place.answer = away;
    await eventually(() => agent.lines.includes('Lost contact with the landscape: away.'));
    place.answer = undefined;
    await eventually(() => agent.lines.includes('Regained contact with the landscape.'));
  });

  test('tells when a client finds the control plane gone, and when it is back though nobody asks', async () => {
    await using place = await startTestPlace();
    const { controlPlane } = place;
    await using agent = await startAgent(place.mesh);
    await controlPlane.stop();
    for (let times = 0; times < 3; times++) await assert.rejects(askThrough(agent.port), /cut off/);
    await eventually(() => agent.lines.length > 0);
    assert.match(agent.lines.join(), /^Lost contact with the control plane: .+ no server listens there\. Next: /);
    await controlPlane.start();
    await eventually(() => agent.lines.length > 1);
    assert.deepEqual(agent.lines.slice(1), ['Regained contact with the control plane.']);
    assert.match(await askThrough(agent.port), /\/sa\/web /);
  });

  test('follows the landscape to another port', async () => {
    await using place = await startTestPlace();
    await using agent = await startAgent(place.mesh, { trustPollMs: 10 });
    await using other = await startTestControlPlane(place.signer);
    place.signer.xdsPort = other.port;
    await place.controlPlane.stop();
    assert.match(await eventually(() => askThrough(agent.port)), /\/sa\/web /);
    assert.ok(other.guests > 0);
  });
});
