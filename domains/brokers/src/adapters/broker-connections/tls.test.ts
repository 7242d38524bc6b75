import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrokerCredentials, BrokerRequest, BrokerTarget } from '../../ports.ts';
import { type ScriptedBroker, startScriptedBroker } from '../../test-broker/scripted-broker.ts';
import { connectTo } from '../../test-broker/test-connect.ts';
import type { OwnCertificate } from './open-pool.ts';

const catalog: BrokerRequest = { method: 'GET', path: '/v2/catalog', headers: { 'x-broker-api-version': '2.17' } };

describe('A broker on https that asks for a certificate', () => {
  let broker: ScriptedBroker;
  before(async () => {
    broker = await startScriptedBroker({ isSecure: true, auth: { type: 'certificate' } });
  });
  after(() => broker[Symbol.asyncDispose]());

  const call = async (spec: BrokerTarget['spec'], credentials: BrokerCredentials, own: OwnCertificate = {}) => {
    await using connection = connectTo(broker, { spec, credentials, own });
    const headers = { ...catalog.headers, authorization: 'Basic cGxhdGZvcm06c2VjcmV0' };
    return (await connection.call({ ...catalog, headers })).status;
  };
  const certificate = () => ({
    clientCertificate: broker.tls?.clientCertificatePem ?? '',
    clientKey: broker.tls?.clientKeyPem ?? '',
  });
  const trusted = () => ({ caBundle: broker.tls?.caPem ?? '' });

  it('is not called when it is not trusted', async () => {
    await assert.rejects(call({}, certificate()), { code: 'BrokerUnreachable' });
  });

  it('knows us by the certificate of its own Secret, and never sees the credentials of a platform', async () => {
    broker.forgetRequests();
    assert.equal(await call(trusted(), certificate()), 200);
    assert.equal(broker.requests[0]?.headers.authorization, undefined);
  });

  it('knows us by the certificate of the service manager only if it is to be shown', async () => {
    assert.equal(await call({ ...trusted(), useServerCertificate: true }, {}, certificate()), 200);
    assert.equal(await call(trusted(), {}, certificate()), 401);
  });

  it('is trusted without verification only when configured', async () => {
    assert.equal(await call({ insecureSkipVerify: true }, certificate()), 200);
  });
});
